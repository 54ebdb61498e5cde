public import Basics
public import FoundationEssentials

/// Revoked tokens, and the usage log of tokens.
public protocol TokenStore: TransactionalStore {
  func isRevoked(_ token: TokenID, tenant: TenantID) async throws(MeetingStoreError) -> Bool
  /// Refuses a token of `tenant` from now on; the entry is purged after `expires`.
  func revoke(_ token: TokenID, tenant: TenantID, expires: Date) async throws(MeetingStoreError)
  /// Adds tokens to the usage log, or updates those that it has.
  func record(_ tokens: [TokenRecord]) async throws(MeetingStoreError)
  /// A page of the usage log, of one tenant and of one room (`*` stands for tokens of every room), the newest first:
  /// entries before the sequence number `before`.
  func tokens(
    tenant: TenantID?, room: String?, before: Int?, limit: Int
  ) async throws(MeetingStoreError) -> [TokenRecord]
}
