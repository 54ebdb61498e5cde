import Basics

/// The quotas of files by owner.
extension ChatFileStore {
  func stored(_ isMeant: (Entry) -> Bool) -> Int {
    files.values.reduce(0) { isMeant($1) ? $0 + $1.written : $0 }
  }

  func promised(_ isMeant: (Entry) -> Bool) -> Int {
    files.values.reduce(0) { isMeant($1) ? $0 + $1.promised : $0 }
  }

  /// Whether so much more may be stored.
  func requireRoom(
    for bytes: Int, _ meeting: MeetingID, _ tenant: TenantID, _ share: Int
  ) throws(ChatFileRefusal) {
    guard bytes <= limits.meeting - stored({ $0.meeting == meeting }) else { throw .meetingFull(limit: limits.meeting) }
    guard bytes <= share - stored({ $0.tenant == tenant }) else { throw .tenantFull(limit: share) }
  }

  /// Whether so much more may be on its way. The last quarter of a tenant's share is for meetings in which nothing else
  /// is, so that a few do not keep out all.
  func requirePromise(
    of bytes: Int, _ meeting: MeetingID, _ tenant: TenantID, _ network: IPAddress?, most: Int
  ) throws(ChatFileRefusal) {
    let here = promised { $0.meeting == meeting }
    guard bytes <= limits.meeting - here else { throw .tooManyOnTheWay(limit: limits.meeting) }
    if let network {
      guard bytes <= limits.promisedInNetwork - promised({ $0.network == network }) else {
        throw .tooManyOnTheWay(limit: limits.promisedInNetwork)
      }
    }
    let reserve = here == 0 ? 0 : most / 4
    guard bytes <= most - reserve - promised({ $0.tenant == tenant }) else { throw .tooManyOnTheWay(limit: most) }
  }
}
