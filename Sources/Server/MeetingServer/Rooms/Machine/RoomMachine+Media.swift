import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// Reports of the media plane, and their messages for clients.
extension RoomMachine {
  /// The media plane's events are read from now on, and the meeting's end is watched.
  func listen() {
    guard !lifeCycle.isListening else { return }
    lifeCycle.isListening = true
    output.append(.listen)
    lifeCycle.watchesEnd = true
  }

  func handle(_ event: MediaEvent) {
    switch event {
    case .connected(let participant): setMedia(true, participant.rawValue)
    case .lost(let participant): setMedia(false, participant.rawValue)
    case .publicationStarted: break
    case .speakers(let speakers):
      let levels = speakers.map { SpeakerLevel(participant: $0.participant.rawValue, level: $0.level) }
      let known = levels.filter { roster[$0.participant] != nil && $0.level.isFinite }
      roster.noteSpeech(of: known.prefix(3).map(\.participant))
      broadcast(.speakers(known))
      if !known.isEmpty { refillCrowded() }
    case .codecChanged(let publication, let codec): codecArrived(codec, publication: publication.rawValue)
    case .layersWanted(let publication, let demand):
      for member in roster.members {
        guard let index = member.publications.firstIndex(where: { $0.info.id == publication.rawValue }) else {
          continue
        }
        member.publications[index].demand = demand
        notifyWantedLayers(of: member.publications[index], member)
      }
    case .paused(let receiver, let paused):
      guard let member = roster[receiver.rawValue] else { return }
      member.paused = Set(paused.map(\.publication.rawValue))
      notifyPaused(member)
    case .quality(let participant, let value):
      guard roster[participant.rawValue] != nil else { return }
      quality[participant.rawValue] = value
      report(.quality([participant.rawValue: value]))
      qualityChanges.insert([participant.rawValue], now: now.instant)
    case .slots(let carried): carry(carried)
    }
  }

  /// Sends everybody the quality of these connections, as far as they are seen.
  func notifyQuality(of participants: Set<String>) {
    let known = visible(quality.filter { participants.contains($0.key) })
    if !known.isEmpty { broadcast(.quality(known)) }
  }

  func notifyWantedLayers(of publication: RoomMember.Publication, _ member: RoomMember) {
    guard let demand = publication.demand else { return }
    member.channel?.send(.wanted(WantedLayers(mid: publication.mid, demand)))
  }

  func notifyPaused(_ member: RoomMember) {
    let slots = member.slots.info.filter { slot in slot.publication.map(member.paused.contains) ?? false }
    member.channel?.send(.paused(slots: slots.map(\.mid), reason: .bandwidth))
  }

  /// The media plane moved slots that follow the loudest speakers: sends their receivers the publications in them.
  private func carry(_ carried: [SlotUpdate]) {
    var voices: [String: SlotTable.Candidate] = [:]
    for member in roster.members {
      for publication in member.publications where publication.info.kind == .audio {
        voices[publication.info.id] = .init(publication: publication.info.id, participant: member.id, kind: .audio)
      }
    }
    var changed: [String] = []
    for slot in carried {
      let voice = slot.publication.flatMap { voices[$0.rawValue] }
      let participant = slot.participant.rawValue
      if roster[participant]?.slots.carry(voice, in: slot.mid.rawValue) == true, !changed.contains(participant) {
        changed.append(participant)
      }
    }
    for id in changed { if let member = roster[id] { member.channel?.send(.slots(member.slots.info)) } }
  }

  private func setMedia(_ up: Bool, _ participant: String) {
    guard let member = roster[participant], member.hasMedia != up else { return }
    let before = member.connection
    member.hasMedia = up
    if up {
      if member.channel != nil { member.expiry = nil }
    } else {
      startExpiry(of: member)
    }
    announceConnection(of: member, was: before)
  }

  /// Notifies a publisher of tracks that can't be sent to anybody, and why: in the answer such a track only has port 0.
  func notifyRejected(_ tracks: [MediaTrack], _ answer: OfferAnswer, _ channel: RoomChannel?) {
    for track in tracks {
      guard let reason = answer.rejected[MID(rawValue: track.mid)]?.reason else { continue }
      channel?.refuse(.badOffer, "The track in m-section \(track.mid.prefix(16)) is not published. \(reason)")
    }
  }

  /// The most bytes of a track's name: a participant has up to 16 tracks.
  static let trackNameBytes = 320

  func mediaTrack(_ track: TrackDescription, publication: String? = nil) -> MediaTrack {
    MediaTrack(
      mid: track.mid, publication: publication ?? "t_" + setup.makeID(12), source: track.source,
      muted: track.muted, name: track.name.flatMap { DisplayName.clean($0, bytes: Self.trackNameBytes) })
  }

  func publication(_ track: MediaTrack) -> RoomMember.Publication {
    RoomMember.Publication(
      mid: track.mid,
      info: PublicationInfo(
        id: track.publication, kind: track.source.kind, source: track.source, muted: track.muted, name: track.name,
        created: now.date))
  }
}
