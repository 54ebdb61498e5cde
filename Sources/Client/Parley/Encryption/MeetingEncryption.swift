/// A meeting's end-to-end encryption, as far as this client has verified it.
///
/// ```swift
/// switch meeting.encryption.state {
/// case .off: print("Not encrypted: the server can see and hear everything.")
/// case .encrypted: print("Encrypted. Compare: \(meeting.encryption.safetyCode ?? "")")
/// case .waiting: print("Waiting for \(meeting.encryption.waitingFor.count) keys …")
/// case .refused: print("This link has no key of this meeting.")
/// }
/// ```
public struct MeetingEncryption: Hashable, Sendable {
  /// The states of a meeting's encryption.
  ///
  /// ```swift
  /// func symbol(_ state: MeetingEncryption.State) -> String {
  ///   switch state {
  ///   case .off: "🔓"
  ///   case .encrypted: "🔒"
  ///   case .waiting: "⏳"
  ///   case .refused: "⛔"
  ///   }
  /// }
  /// ```
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The meeting is not encrypted.
    case off
    /// Everybody here has announced keys, and all frames that come can be opened.
    case encrypted
    /// Somebody's key is lacking, or this client has not announced its own yet.
    case waiting
    /// Joining failed: this client has no link secret of the meeting, or another one.
    case refused
  }

  public internal(set) var state: State

  /// 30 digits that are the same for everybody who has the same keys of the same people; nil before they are known.
  public internal(set) var safetyCode: String?

  /// The ids of those whose key is lacking, sorted.
  public internal(set) var waitingFor: [String]

  init(_ state: State = .off, safetyCode: String? = nil, waitingFor: [String] = []) {
    self.state = state
    self.safetyCode = safetyCode
    self.waitingFor = waitingFor
  }

  /// The code in groups of five digits, as people read it to each other; nil before it is known.
  ///
  /// ```swift
  /// if let code = meeting.encryption.groupedSafetyCode { print("Do you see \(code)?") }
  /// ```
  public var groupedSafetyCode: String? {
    guard let safetyCode else { return nil }
    var text = ""
    for (index, digit) in safetyCode.enumerated() {
      if index > 0, index % 5 == 0 { text.append(" ") }
      text.append(digit)
    }
    return text
  }
}
