#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A line of text to type.
open class UITextField: UIControl, UIKeyInput {
  /// The border of a field.
  public enum BorderStyle: Int, Hashable, Sendable {
    case none = 0
    case line = 1
    case bezel = 2
    /// A line with round corners.
    case roundedRect = 3
  }

  /// When the button that clears it is seen.
  public enum ViewMode: Int, Hashable, Sendable {
    case never = 0
    case whileEditing = 1
    case unlessEditing = 2
    case always = 3
  }

  /// The text. Setting it asks and calls nobody.
  open var text: String? = "" { didSet { if text != oldValue { contentChanged() } } }
  /// The text while it is empty.
  open var placeholder: String? { didSet { contentChanged() } }
  open var font: UIFont? = .systemFont(ofSize: UIFont.systemFontSize) { didSet { contentChanged() } }
  open var textColor: UIColor? = .label { didSet { contentChanged() } }
  /// How the text lies in the view.
  open var textAlignment: NSTextAlignment = .natural { didSet { contentChanged() } }
  /// Whether dots stand for the letters.
  open var isSecureTextEntry = false { didSet { contentChanged() } }
  /// The border; none at first.
  open var borderStyle: BorderStyle = .none { didSet { contentChanged() } }
  /// When the button that clears it is seen; kept for apps that set it.
  open var clearButtonMode: ViewMode = .never
  /// The kind of text; without effect on a desktop's keyboard.
  open var keyboardType: UIKeyboardType = .default
  /// The title of the return key; without effect on a desktop's keyboard.
  open var returnKeyType: UIReturnKeyType = .default
  /// How letters become capitals; kept for apps that set it.
  open var autocapitalizationType: UITextAutocapitalizationType = .sentences
  /// Whether spelling is corrected; kept for apps that set it.
  open var autocorrectionType: UITextAutocorrectionType = .default
  /// Asked before typed text is accepted.
  open weak var delegate: (any UITextFieldDelegate)?

  /// Whether it is being typed into.
  open var isEditing: Bool { isFirstResponder }
  /// Whether there is any text.
  open var hasText: Bool { !(text ?? "").isEmpty }
  /// Keys may go here while it can be used.
  open override var canBecomeFirstResponder: Bool { isEnabled && !isHidden }

  /// Begins typing, unless the delegate refuses.
  @discardableResult
  open override func becomeFirstResponder() -> Bool {
    if isFirstResponder { return true }
    guard canBecomeFirstResponder, delegate?.textFieldShouldBeginEditing(self) != false,
      super.becomeFirstResponder()
    else { return false }
    if let window { window.presenter?.focus(self, in: window) }
    delegate?.textFieldDidBeginEditing(self)
    sendActions(for: .editingDidBegin)
    return true
  }

  /// Ends typing, unless the delegate refuses.
  @discardableResult
  open override func resignFirstResponder() -> Bool {
    guard isFirstResponder else { return true }
    guard delegate?.textFieldShouldEndEditing(self) != false, super.resignFirstResponder() else { return false }
    if let window { window.presenter?.focus(nil, in: window) }
    delegate?.textFieldDidEndEditing(self)
    sendActions(for: .editingDidEnd)
    return true
  }

  /// A touch begins typing.
  open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
    super.touchesEnded(touches, with: event)
    if isEnabled { becomeFirstResponder() }
  }

  /// Types at the end.
  open func insertText(_ text: String) {
    if text == "\n" { return pressReturn() }
    replace(NSRange(location: (self.text ?? "").utf16.count, length: 0), with: text)
  }

  /// Takes the last character away.
  open func deleteBackward() {
    guard let last = text?.last, let text else { return }
    let length = String(last).utf16.count
    replace(NSRange(location: text.utf16.count - length, length: length), with: "")
  }

  func pressReturn() {
    guard delegate?.textFieldShouldReturn(self) != false else { return }
    sendActions(for: [.editingDidEndOnExit, .primaryActionTriggered])
  }

  /// Replaces a part, in UTF-16 units, unless the delegate refuses. Returns whether the text is as it was typed.
  @discardableResult
  func replace(_ range: NSRange, with string: String) -> Bool {
    let old = text ?? ""
    guard let place = Range(range, in: old),
      delegate?.textField(self, shouldChangeCharactersIn: range, replacementString: string) != false
    else { return false }
    let new = old.replacingCharacters(in: place, with: string)
    text = new
    sendActions(for: .editingChanged)
    delegate?.textFieldDidChangeSelection(self)
    return text == new
  }

  /// The size of the text or the placeholder, and room around it.
  open override func sizeThatFits(_ size: CGSize) -> CGSize {
    let shown = hasText ? text ?? "" : placeholder ?? ""
    let text = TextMetrics.size(
      of: shown, font: font ?? .systemFont(ofSize: 14), width: .greatestFiniteMagnitude, lines: 1)
    return CGSize(width: text.width + 20, height: max(text.height + 12, 34))
  }
}

/// Follows and may refuse what is typed into a field.
@preconcurrency @MainActor
public protocol UITextFieldDelegate: AnyObject {
  /// Whether typing may begin.
  func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool
  func textFieldDidBeginEditing(_ textField: UITextField)
  /// Whether typing may end.
  func textFieldShouldEndEditing(_ textField: UITextField) -> Bool
  func textFieldDidEndEditing(_ textField: UITextField)
  /// Whether a part of the text may be replaced.
  func textField(
    _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
  ) -> Bool
  /// The text or what is selected of it has changed.
  func textFieldDidChangeSelection(_ textField: UITextField)
  /// Whether the return key does what it usually does.
  func textFieldShouldReturn(_ textField: UITextField) -> Bool
}

extension UITextFieldDelegate {
  public func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool { true }
  public func textFieldDidBeginEditing(_ textField: UITextField) {}
  public func textFieldShouldEndEditing(_ textField: UITextField) -> Bool { true }
  public func textFieldDidEndEditing(_ textField: UITextField) {}
  public func textField(
    _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
  ) -> Bool { true }
  public func textFieldDidChangeSelection(_ textField: UITextField) {}
  public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
}

/// The kind of text of a field.
public enum UIKeyboardType: Int, Hashable, Sendable {
  case `default` = 0
  case asciiCapable = 1
  case numbersAndPunctuation = 2
  /// An address of the web.
  case URL = 3
  case numberPad = 4
  case phonePad = 5
  /// A name or a telephone number.
  case namePhonePad = 6
  case emailAddress = 7
}

/// The title of the return key.
public enum UIReturnKeyType: Int, Hashable, Sendable {
  case `default` = 0
  case go = 1
  case join = 3
  case next = 4
  case search = 6
  case send = 7
  case done = 9
}

/// How letters become capitals.
public enum UITextAutocapitalizationType: Int, Hashable, Sendable {
  case none = 0
  /// The first of each word.
  case words = 1
  /// The first of each sentence.
  case sentences = 2
  case allCharacters = 3
}

/// Whether spelling is corrected.
public enum UITextAutocorrectionType: Int, Hashable, Sendable {
  case `default` = 0
  case no = 1
  case yes = 2
}
#endif
