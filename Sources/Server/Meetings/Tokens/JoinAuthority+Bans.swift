public import Basics
public import FoundationEssentials

extension JoinGrant {
  /// What a ban of its holder from `meeting` is noted by: its token, the user whom the token names, and the network of
  /// `address` for people whom nobody knows. Those get another token by asking for one, so that their token alone says
  /// nothing.
  ///
  /// The note is kept like a revocation, and holds in one meeting only.
  public func banNotes(in meeting: MeetingID, address: IPAddress? = nil) -> [TokenID] {
    var notes = [TokenID(rawValue: "ban \(meeting) token \(id.rawValue)")]
    if let user { notes.append(TokenID(rawValue: "ban \(meeting) user \(user)")) }
    if let note = addressNote(in: meeting, address) { notes.append(note) }
    return notes
  }

  fileprivate func addressNote(in meeting: MeetingID, _ address: IPAddress?) -> TokenID? {
    guard let address, isGuest, user == nil else { return nil }
    return TokenID(rawValue: "ban \(meeting) address \(address.network.text)")
  }
}

extension JoinAuthority {
  /// How long the ban of a user is kept: ten years. The meeting's end isn't a measure: it may be moved while the
  /// meeting runs.
  private static let longest: TimeInterval = 10 * 365 * 24 * 3_600
  /// How long the ban of an address is kept: it may be somebody else's tomorrow.
  private static let addressBan: TimeInterval = 24 * 3_600

  /// Lets the holder of a grant into `meeting` no more: neither with this token nor, where it names a user, with
  /// another of that user, nor for a day anybody else whom nobody knows from `address`.
  public func ban(
    _ grant: JoinGrant, from meeting: MeetingRecord, address: IPAddress? = nil, now: Date
  ) async throws(MeetingStoreError) {
    // Tokens of the same user may be made after this one has ended.
    let end = now.addingTimeInterval(Self.longest)
    for note in grant.banNotes(in: meeting.id) {
      try await store.revoke(note, tenant: grant.tenant, expires: end)
    }
    if let note = grant.addressNote(in: meeting.id, address) {
      try await store.revoke(note, tenant: grant.tenant, expires: now.addingTimeInterval(Self.addressBan))
    }
  }

  /// Whether the holder of a grant, or whoever comes from their address, was banned from a meeting.
  func isBanned(
    _ grant: JoinGrant, from meeting: MeetingRecord, address: IPAddress? = nil
  ) async throws(MeetingStoreError) -> Bool {
    for note in grant.banNotes(in: meeting.id, address: address) {
      if try await store.isRevoked(note, tenant: grant.tenant) { return true }
    }
    return false
  }
}
