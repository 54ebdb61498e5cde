#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Lines of text to read or type.
open class UITextView: UIScrollView, UIKeyInput {
  /// The text. Setting it asks and calls nobody.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var text: String! = "" { didSet { if text != oldValue { contentChanged() } } }
  open var font: UIFont? = .systemFont(ofSize: UIFont.systemFontSize) { didSet { contentChanged() } }
  open var textColor: UIColor? = .label { didSet { contentChanged() } }
  /// How lines lie in the view.
  open var textAlignment: NSTextAlignment = .natural { didSet { contentChanged() } }
  /// Whether it can be typed into.
  open var isEditable = true { didSet { contentChanged() } }
  /// Whether text can be selected.
  open var isSelectable = true { didSet { contentChanged() } }
  /// Asked before typed text is accepted.
  open weak var delegate: (any UITextViewDelegate)?

  /// Whether there is any text.
  open var hasText: Bool { !(text ?? "").isEmpty }
  /// Keys may go here while it can be typed into.
  open override var canBecomeFirstResponder: Bool { isEditable && !isHidden }

  /// Begins typing, unless the delegate refuses.
  @discardableResult
  open override func becomeFirstResponder() -> Bool {
    if isFirstResponder { return true }
    guard canBecomeFirstResponder, delegate?.textViewShouldBeginEditing(self) != false,
      super.becomeFirstResponder()
    else { return false }
    if let window { window.presenter?.focus(self, in: window) }
    delegate?.textViewDidBeginEditing(self)
    return true
  }

  /// Ends typing, unless the delegate refuses.
  @discardableResult
  open override func resignFirstResponder() -> Bool {
    guard isFirstResponder else { return true }
    guard delegate?.textViewShouldEndEditing(self) != false, super.resignFirstResponder() else { return false }
    if let window { window.presenter?.focus(nil, in: window) }
    delegate?.textViewDidEndEditing(self)
    return true
  }

  /// Types at the end.
  open func insertText(_ text: String) {
    replace(NSRange(location: (self.text ?? "").utf16.count, length: 0), with: text)
  }

  /// Takes the last character away.
  open func deleteBackward() {
    guard let text, let last = text.last else { return }
    let length = String(last).utf16.count
    replace(NSRange(location: text.utf16.count - length, length: length), with: "")
  }

  /// Replaces a part, in UTF-16 units, unless the delegate refuses. Returns whether the text is as it was typed.
  @discardableResult
  func replace(_ range: NSRange, with string: String) -> Bool {
    let old = text ?? ""
    guard let place = Range(range, in: old),
      delegate?.textView(self, shouldChangeTextIn: range, replacementText: string) != false
    else { return false }
    let new = old.replacingCharacters(in: place, with: string)
    text = new
    delegate?.textViewDidChange(self)
    return text == new
  }

  /// Scrolls so that a part of the text is seen; here, so that the end is when the part is at the end.
  open func scrollRangeToVisible(_ range: NSRange) {
    showsEnd = range.location + range.length >= (text ?? "").utf16.count
    contentChanged()
  }

  /// Whether its end is to be seen.
  var showsEnd = false
}

/// Follows and may refuse what is typed into a text view.
@preconcurrency @MainActor
public protocol UITextViewDelegate: AnyObject {
  /// Whether typing may begin.
  func textViewShouldBeginEditing(_ textView: UITextView) -> Bool
  func textViewDidBeginEditing(_ textView: UITextView)
  /// Whether typing may end.
  func textViewShouldEndEditing(_ textView: UITextView) -> Bool
  func textViewDidEndEditing(_ textView: UITextView)
  /// Whether a part of the text may be replaced.
  func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String) -> Bool
  func textViewDidChange(_ textView: UITextView)
}

extension UITextViewDelegate {
  public func textViewShouldBeginEditing(_ textView: UITextView) -> Bool { true }
  public func textViewDidBeginEditing(_ textView: UITextView) {}
  public func textViewShouldEndEditing(_ textView: UITextView) -> Bool { true }
  public func textViewDidEndEditing(_ textView: UITextView) {}
  public func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String) -> Bool
  { true }
  public func textViewDidChange(_ textView: UITextView) {}
}
#endif
