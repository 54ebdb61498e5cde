import Meetings

/// Refusals for the sake of end-to-end encryption.
extension Refusal {
  /// A service that would have to read the media of a meeting: `what` begins the sentence, as in "Archives are".
  static func encrypted(_ what: String) -> Refusal {
    Refusal(
      409, "encrypted", "\(what) not possible in a meeting that is end-to-end encrypted: the server has no key of it.")
  }
}

extension MeetingRecord {
  /// Decides the mode of a meeting that is being made, as far as a policy allows.
  mutating func decide(_ isEncrypted: Bool, by policy: EncryptionPolicy) throws(Refusal) {
    guard policy.allows(isEncrypted) else {
      throw isEncrypted
        ? Refusal(409, "notEncrypted", "Encrypted meetings are switched off here (--encryption).")
        : Refusal(409, "encryptionRequired", "Meetings are always end-to-end encrypted here (--encryption).")
    }
    guard self.isEncrypted.map({ $0 == isEncrypted }) ?? true else {
      throw Refusal(409, "notEncrypted", "The session's id says whether it is encrypted, and says otherwise.")
    }
    self.isEncrypted = isEncrypted
  }
}
