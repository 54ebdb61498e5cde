#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Notifications about the keyboard that a phone draws over the screen. A desktop has one of its own, so none of these
/// is ever posted: screens that make room for it stay as they are.
extension UIResponder {
  public nonisolated static let keyboardWillShowNotification = Notification.Name("UIKeyboardWillShow")
  public nonisolated static let keyboardDidShowNotification = Notification.Name("UIKeyboardDidShow")
  public nonisolated static let keyboardWillHideNotification = Notification.Name("UIKeyboardWillHide")
  public nonisolated static let keyboardDidHideNotification = Notification.Name("UIKeyboardDidHide")
  /// The key of the keyboard's earlier frame, in the `userInfo` of these.
  public nonisolated static let keyboardFrameBeginUserInfoKey = "UIKeyboardFrameBeginUserInfoKey"
  /// The key of the keyboard's later frame, in the `userInfo` of these.
  public nonisolated static let keyboardFrameEndUserInfoKey = "UIKeyboardFrameEndUserInfoKey"
}

extension NSValue {
  /// The rectangle that it holds, such as that of a keyboard.
  public var cgRectValue: CGRect { rectValue }
  /// A value that holds a rectangle.
  public convenience init(cgRect rect: CGRect) { self.init(rect: rect) }
}
#endif
