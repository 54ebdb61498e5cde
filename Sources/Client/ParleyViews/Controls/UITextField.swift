#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A line of text to type.
open class UITextField: UIControl, UIKeyInput {
  /// What is around it.
  public enum BorderStyle: Int, Hashable, Sendable {
    /// Nothing.
    case none = 0
    /// A line.
    case line = 1
    /// A bezel.
    case bezel = 2
    /// A line with round corners.
    case roundedRect = 3
  }

  /// When the button that clears it is seen.
  public enum ViewMode: Int, Hashable, Sendable {
    /// Never.
    case never = 0
    /// While typing.
    case whileEditing = 1
    /// While not typing.
    case unlessEditing = 2
    /// Always.
    case always = 3
  }

  /// The text. Setting it asks and calls nobody.
  open var text: String? = "" { didSet { if text != oldValue { contentChanged() } } }
  /// What it says while it is empty.
  open var placeholder: String? { didSet { contentChanged() } }
  /// The text's font.
  open var font: UIFont? = .systemFont(ofSize: UIFont.systemFontSize) { didSet { contentChanged() } }
  /// The text's colour.
  open var textColor: UIColor? = .label { didSet { contentChanged() } }
  /// How the text lies in the view.
  open var textAlignment: NSTextAlignment = .natural { didSet { contentChanged() } }
  /// Whether dots stand for the letters.
  open var isSecureTextEntry = false { didSet { contentChanged() } }
  /// What is around it.
  open var borderStyle: BorderStyle = .none { didSet { contentChanged() } }
  /// When the button that clears it is seen; kept for apps that set it.
  open var clearButtonMode: ViewMode = .never
  /// What is typed into it.
  open var keyboardType: UIKeyboardType = .default
  /// What the return key says.
  open var returnKeyType: UIReturnKeyType = .default
  /// How letters become capitals; kept for apps that set it.
  open var autocapitalizationType: UITextAutocapitalizationType = .sentences
  /// Whether spelling is corrected; kept for apps that set it.
  open var autocorrectionType: UITextAutocorrectionType = .default
  /// Who may refuse what is typed.
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

  /// The return key.
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
  /// Typing has begun.
  func textFieldDidBeginEditing(_ textField: UITextField)
  /// Whether typing may end.
  func textFieldShouldEndEditing(_ textField: UITextField) -> Bool
  /// Typing has ended.
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
  /// It may.
  public func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool { true }
  /// Does nothing.
  public func textFieldDidBeginEditing(_ textField: UITextField) {}
  /// It may.
  public func textFieldShouldEndEditing(_ textField: UITextField) -> Bool { true }
  /// Does nothing.
  public func textFieldDidEndEditing(_ textField: UITextField) {}
  /// It may.
  public func textField(
    _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
  ) -> Bool { true }
  /// Does nothing.
  public func textFieldDidChangeSelection(_ textField: UITextField) {}
  /// It does.
  public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
}

/// What is typed into a field.
public enum UIKeyboardType: Int, Hashable, Sendable {
  /// Anything.
  case `default` = 0
  /// Plain letters.
  case asciiCapable = 1
  /// Numbers and signs.
  case numbersAndPunctuation = 2
  /// An address of the web.
  case URL = 3
  /// Digits.
  case numberPad = 4
  /// A telephone number.
  case phonePad = 5
  /// A name or a telephone number.
  case namePhonePad = 6
  /// An e-mail address.
  case emailAddress = 7
}

/// What the return key says.
public enum UIReturnKeyType: Int, Hashable, Sendable {
  /// Return.
  case `default` = 0
  /// Go.
  case go = 1
  /// Join.
  case join = 3
  /// Next.
  case next = 4
  /// Search.
  case search = 6
  /// Send.
  case send = 7
  /// Done.
  case done = 9
}

/// How letters become capitals.
public enum UITextAutocapitalizationType: Int, Hashable, Sendable {
  /// Not at all.
  case none = 0
  /// The first of each word.
  case words = 1
  /// The first of each sentence.
  case sentences = 2
  /// All.
  case allCharacters = 3
}

/// Whether spelling is corrected.
public enum UITextAutocorrectionType: Int, Hashable, Sendable {
  /// As usual.
  case `default` = 0
  /// No.
  case no = 1
  /// Yes.
  case yes = 2
}
#endif
