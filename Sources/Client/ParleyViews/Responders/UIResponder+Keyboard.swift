#if !canImport(UIKit) || os(Linux)
public import Foundation

/// What a phone posts about the keyboard that it draws over the screen. A desktop has one of its own, so none of these is ever posted: screens that
/// make room for it stay as they are.
extension UIResponder {
  /// Never posted.
  public nonisolated static let keyboardWillShowNotification = Notification.Name("UIKeyboardWillShow")
  /// Never posted.
  public nonisolated static let keyboardDidShowNotification = Notification.Name("UIKeyboardDidShow")
  /// Never posted.
  public nonisolated static let keyboardWillHideNotification = Notification.Name("UIKeyboardWillHide")
  /// Never posted.
  public nonisolated static let keyboardDidHideNotification = Notification.Name("UIKeyboardDidHide")
  /// Where the keyboard was, in the `userInfo` of these.
  public nonisolated static let keyboardFrameBeginUserInfoKey = "UIKeyboardFrameBeginUserInfoKey"
  /// Where it will be, in the `userInfo` of these.
  public nonisolated static let keyboardFrameEndUserInfoKey = "UIKeyboardFrameEndUserInfoKey"
}
#endif
