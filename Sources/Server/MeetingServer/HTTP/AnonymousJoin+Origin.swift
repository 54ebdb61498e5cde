import FoundationEssentials
import Meetings

extension AnonymousJoin {
  /// Refuses pages of other origins when only the network identifies the caller. Such a page could make meetings and
  /// get tokens for its own origin from within its visitor's network; with a form it doesn't even need the browser's
  /// permission. This server's origin and those that the default tenant allows pass, and so do apps, which send no
  /// `Origin`.
  func requireKnown(_ origin: String?, base: WebOrigin, now: Date) async throws(Refusal) {
    guard let origin else { return }
    do throws(MeetingStoreError) {
      let allowed = try await store.defaultTenant(now: now).policy.allowedOrigins
      if authority.takes(origin, ownOrigin: base, allowed: allowed) { return }
    } catch {
      throw Refusal(error)
    }
    throw Refusal(
      403, "wrongOrigin",
      "Pages of this origin may not ask here. The server's operator can allow it: parley tenant set NAME --allow-origin."
    )
  }
}
