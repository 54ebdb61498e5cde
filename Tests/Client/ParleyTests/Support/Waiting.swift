import Basics
import Parley
import Testing

/// Collects a meeting's events.
///
/// It hears of an event a moment after the meeting's state has changed: a test that looks at events waits for an event,
/// not for the state.
@MainActor final class Witness {
  private(set) var events: [String] = []
  private(set) var data: [DataMessage] = []
  private(set) var failed: [SentChatMessage] = []
  private(set) var steps: [ReconnectStep] = []
  private var task: Task<Void, Never>?

  init(_ meeting: Meeting) {
    let stream = meeting.events
    task = Task { [weak self] in
      for await event in stream { self?.take(event) }
    }
  }

  func saw(_ event: String) -> Bool { events.contains(event) }

  private func take(_ event: MeetingEvent) {
    switch event {
    case .joined: events.append("joined")
    case .waiting(let reason): events.append("waiting \(reason)")
    case .announced(let announcement): events.append("announced \(announcement.text)")
    case .knocked(let somebody): events.append("knocked \(somebody.name)")
    case .knockEnded(let somebody): events.append("knockEnded \(somebody.name)")
    case .lockChanged(let isLocked): events.append(isLocked ? "locked" : "unlocked")
    case .participantJoined(let participant): events.append("participantJoined \(participant.name)")
    case .participantLeft(let participant, let reason): events.append("participantLeft \(participant.name) \(reason)")
    case .published(let publication): events.append("published \(publication.source)")
    case .unpublished(let publication): events.append("unpublished \(publication.source)")
    case .muteChanged(let publication):
      events.append("\(publication.isMuted ? "muted" : "unmuted") \(publication.source)")
    case .subscribed(let subscription): events.append("subscribed \(subscription.publication.source)")
    case .unsubscribed(let publication): events.append("unsubscribed \(publication.source)")
    case .firstFrame(let subscription): events.append("firstFrame \(subscription.publication.source)")
    case .chat(let message, let isHistory):
      events.append("chat \(message.name): \(message.text)\(isHistory ? " (history)" : "")")
    case .chatFailed(let message, let error):
      failed.append(message)
      events.append("chatFailed \(message.text): \(error.code ?? "")")
    case .chatting(.changed(let message)):
      events.append("chatChanged \(message.text)\(message.deleted.map { " deleted by \($0)" } ?? "")")
    case .chatting(.typing(let participant, let isTyping, let isPrivate)):
      events.append("\(participant.name) types \(isTyping)\(isPrivate ? " privately" : "")")
    case .paused(let subscription): events.append("paused \(subscription.publication.source)")
    case .resumed(let subscription): events.append("resumed \(subscription.publication.source)")
    case .data(let message):
      data.append(message)
      events.append("data")
    case .signal(let signal): events.append("signal \(signal.sender?.name ?? "server") \(signal.type): \(signal.data)")
    case .reconnecting(let step):
      steps.append(step)
      events.append("reconnecting \(step)")
    case .tokenExpiring(in: let time, leaves: let leaves):
      events.append("tokenExpiring \(time.milliseconds / 1_000) \(leaves)")
    case .sourceEnded(let publication, let error):
      events.append("sourceEnded \(publication.source)\(error == nil ? "" : " with an error")")
    case .reconnected: events.append("reconnected")
    case .ended(let reason, _): events.append("ended \(reason)")
    case .room(let event):
      switch event {
      case .mutedByHost(let publication): events.append("mutedByHost \(publication.source)")
      case .stoppedByHost(let publication, let reason):
        events.append("stoppedByHost \(publication.source) \(reason?.rawValue ?? "unknown")")
      case .unmuteRequested(let sources, let host):
        events.append("unmuteRequested \(sources.map(\.rawValue).joined(separator: " ")) \(host?.name ?? "")")
      case .permissionsChanged: events.append("permissionsChanged")
      case .handChanged(let participant):
        events.append("hand \(participant.name) \(participant.hand == nil ? "down" : "up")")
      case .spotlightChanged(let participant): events.append("spotlight \(participant?.name ?? "nobody")")
      case .muteForAllChanged(let order): events.append("muteForAll \(order == nil ? "lifted" : "set")")
      case .reaction(let participant, let reaction): events.append("reaction \(participant.name) \(reaction.rawValue)")
      case .pollChanged(let poll): events.append("poll \(poll.question)")
      case .pollRemoved: events.append("pollRemoved")
      case .meetingChanged(let info): events.append("meetingChanged \(info.subject)")
      }
    case .encryptionChanged(let encryption): events.append("encryption \(encryption.state.rawValue)")
    case .problem(let text): events.append("problem \(text)")
    case .participantUpdated(let participant): events.append("updated \(participant.name)")
    case .speakersChanged: events.append("speakers")
    case .undecodable(let publication):
      events.append("undecodable \(publication.source) \(publication.undecodableCodec?.name ?? "")")
    case .decodable(let publication): events.append("decodable \(publication.source)")
    case .undecodableFor(let publication):
      events.append("undecodableFor \(publication.source) \(publication.undecodableFor?.count ?? 0)")
    case .qualityChanged: events.append("quality")
    }
  }
}
