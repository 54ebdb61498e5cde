import Basics
import RTC

/// One participant on a worker: its peer connection, its place in the router, and what its media sections are.
final class Connection {
  let id: ParticipantID
  /// The worker's number for it.
  let index: Int
  let peer: PeerConnection
  let member: Member
  let meeting: MediaCore.Meeting
  /// Whether the meeting is encrypted end to end.
  let isEncrypted: Bool
  /// The path of media; nil while there is none that the peer consents to.
  var path: IcePath?
  /// The address of this machine that its signalling came to, where that is known.
  var reached: IPAddress?
  /// Whether the router may send.
  var isOpen = false
  var data: ConnectionData
  /// The user fragments under which checks find it.
  var fragments: [String] = []
  private(set) var publications: [MID: Publication] = [:]
  private(set) var slots: [MID: Subscription] = [:]
  /// Slots whose sections send nothing for now. They keep their numbers, as the negotiation keeps their SSRCs.
  private var resting: [MID: Subscription] = [:]

  init(
    id: ParticipantID, index: Int, peer: PeerConnection, member: Member, meeting: MediaCore.Meeting,
    data: ConnectionData, isEncrypted: Bool
  ) {
    self.id = id
    self.index = index
    self.peer = peer
    self.member = member
    self.meeting = meeting
    self.data = data
    self.isEncrypted = isEncrypted
  }

  /// Makes publications and slots what the last negotiation and `tracks` say, and returns the tracks that found their
  /// section. A remaining slot keeps its streams and its publication.
  func apply(_ tracks: [TrackOffer]) -> Set<MID> {
    let router = meeting.router
    var accepted: Set<MID> = []
    var live: Set<MID> = []
    for media in peer.media {
      live.insert(media.mid)
      if media.role != .receive { unpublish(media.mid, router) }
      if media.role != .send, let slot = slots.removeValue(forKey: media.mid) {
        router.rest(slot)
        resting[media.mid] = slot
      }
      if media.role == .inactive { continue }
      if media.role == .send {
        if let slot = slots[media.mid] ?? resting.removeValue(forKey: media.mid) {
          router.renegotiate(slot, media: media)
          slots[media.mid] = slot
        } else {
          slots[media.mid] = router.addSlot(media, of: member)
        }
        continue
      }
      guard let track = tracks.first(where: { $0.mid == media.mid && ($0.kind ?? media.kind) == media.kind }) else {
        unpublish(media.mid, router)
        continue
      }
      accepted.insert(media.mid)
      if let known = publications[media.mid], known.id == track.publication {
        router.renegotiate(known, media: media, by: member)
        router.setMuted(track.isMuted, known)
      } else {
        unpublish(media.mid, router)
        publications[media.mid] = router.publish(
          track.publication, media: media, isMuted: track.isMuted, isScreenShare: track.isScreenShare,
          isEncrypted: isEncrypted, by: member)
      }
    }
    for mid in publications.keys where !live.contains(mid) { unpublish(mid, router) }
    for (mid, slot) in slots where !live.contains(mid) {
      router.removeSlot(slot)
      slots[mid] = nil
    }
    for (mid, slot) in resting where !live.contains(mid) {
      router.removeSlot(slot)
      resting[mid] = nil
    }
    return accepted
  }

  private func unpublish(_ mid: MID, _ router: Router) {
    guard let publication = publications.removeValue(forKey: mid) else { return }
    router.unpublish(publication, of: member)
    meeting.events?.removeAll(of: publication.id)
  }
}
