import Basics
import Parley

/// A meeting as lines: JSON objects for programs, or plain words where standard output isn't a terminal.
@MainActor final class JoinReport: JoinObserver {
  nonisolated let interval: UInt64 = 2_000_000_000
  private let meeting: Meeting
  private let plain: Bool
  private let start = MonotonicClock.now
  private var rates = RateMeter()
  private var recognitions = RecognitionReport()

  init(_ meeting: Meeting, plain: Bool = false) {
    self.meeting = meeting
    self.plain = plain
  }

  func close() {}

  func take(_ event: MeetingEvent) {
    switch event {
    case .joined: say("joined", joined, "joined \(meeting.info?.subject ?? "") as \(meeting.local.name)")
    case .waiting(let reason): say("waiting", ["reason": .text(reason.rawValue)], Self.words(waiting: reason))
    case .participantJoined(let participant):
      say("participantJoined", ["participant": .object(Self.person(participant))], "\(participant.name) is here")
      sayRecognition(of: participant)
    case .participantUpdated(let participant):
      say("participantUpdated", ["participant": .object(Self.person(participant))], nil)
      sayRecognition(of: participant)
    case .participantLeft(let participant, let reason):
      say(
        "participantLeft", ["participant": .object(Self.person(participant)), "reason": .text(reason.rawValue)],
        "\(participant.name) left (\(reason.rawValue))")
    case .announced(let announcement): say("announced", ["text": .text(announcement.text)], nil)
    case .knocked(let somebody):
      say("knocked", ["id": .text(somebody.id), "name": .text(somebody.name)], "\(somebody.name) wants to join")
    case .knockEnded(let somebody):
      say("knockEnded", ["id": .text(somebody.id), "name": .text(somebody.name)], "\(somebody.name) waits no more")
    case .lockChanged(let isLocked):
      say("lockChanged", ["locked": .truth(isLocked)], isLocked ? "the meeting is locked" : "the meeting is unlocked")
    case .published(let publication): say("published", Self.track(publication), nil)
    case .unpublished(let publication): say("unpublished", Self.track(publication), nil)
    case .muteChanged(let publication):
      var line = Self.track(publication)
      line.add("muted", .truth(publication.isMuted))
      say(publication.isMuted ? "muted" : "unmuted", line, Self.words(muted: publication))
    case .subscribed(let subscription): say("trackSubscribed", Self.track(subscription.publication), nil)
    case .unsubscribed(let publication): say("trackUnsubscribed", Self.track(publication), nil)
    case .firstFrame(let subscription):
      var line = Self.track(subscription.publication)
      if let size = subscription.video?.size {
        line.add("width", .integer(size.width))
        line.add("height", .integer(size.height))
      }
      line.add(
        "milliseconds", JSONLine.Value(meeting.times.started.map { (MonotonicClock.now - $0).seconds * 1_000 }))
      say("firstFrame", line, nil)
    case .speakersChanged(let speakers):
      let list = speakers.map { speaker in
        JSONLine.Value.object(["participant": .text(speaker.id), "level": .number(speaker.audioLevel)])
      }
      say("speakers", ["speakers": .list(list)], nil)
    case .chat(let message, let isHistory):
      say("chat", ChatReport.line(message, isHistory: isHistory), ChatReport.words(message))
    case .chatting(let event):
      let report = ChatReport(event)
      say(report.name, report.line, report.words)
    case .chatFailed(let message, let error):
      say(
        "chatFailed",
        ["text": .text(message.text), "code": JSONLine.Value(error.code), "message": .text(error.description)],
        "not delivered: \(message.text) (\(error))")
    case .data(let message):
      let text = String(decoding: message.bytes.prefix(200), as: UTF8.self)
      say(
        "data",
        [
          "from": .text(message.senderID), "topic": .text(message.topic), "bytes": .integer(message.bytes.count),
          "reliable": .truth(message.isReliable), "text": .text(text),
        ], nil)
    case .signal(let signal):
      say(
        "signal",
        ["from": JSONLine.Value(signal.senderID), "type": .text(signal.type), "data": .text(signal.data)],
        "signal \(signal.type) from \(signal.sender?.name ?? "the server"): \(signal.data)")
    case .paused(let subscription):
      say("trackPaused", ["publication": .text(subscription.publication.id)], Self.words(paused: subscription))
    case .resumed(let subscription):
      say("trackResumed", ["publication": .text(subscription.publication.id)], nil)
    case .undecodable(let publication):
      say(
        "undecodable",
        [
          "publication": .text(publication.id), "participant": JSONLine.Value(publication.participant?.id),
          "source": .text(publication.source.rawValue), "codec": JSONLine.Value(publication.undecodableCodec?.name),
        ], Self.words(undecodable: publication))
    case .decodable(let publication):
      say("decodable", ["publication": .text(publication.id), "source": .text(publication.source.rawValue)], nil)
    case .undecodableFor(let publication):
      let receivers = publication.undecodableFor
      say(
        "undecodableFor",
        [
          "source": .text(publication.source.rawValue), "codec": JSONLine.Value(receivers?.codec.name),
          "count": .integer(receivers?.count ?? 0),
        ], Self.words(undecodableFor: publication))
    case .qualityChanged(let participant, let quality):
      say("quality", ["participant": .text(participant.id), "quality": .text(quality.rawValue)], nil)
    case .reconnecting(let step):
      say("reconnecting", ["step": .text(step.rawValue)], "the connection was lost (\(step.rawValue)), trying again")
    case .reconnected: say("reconnected", [:], "connected again")
    case .sourceEnded(let publication, let error):
      say(
        "sourceEnded", ["source": .text(publication.source.rawValue), "error": .text(error?.description ?? "")],
        Self.words(ended: publication, error))
    case .tokenExpiring(in: let time, leaves: let leaves):
      say(
        "tokenExpiring", ["seconds": .integer(Int(time.milliseconds / 1_000)), "leaves": .truth(leaves)],
        leaves ? Self.words(tokenEnding: time) : nil)
    case .room(let event):
      let report = RoomReport(event, meeting)
      say(report.name, report.line, report.words)
    case .encryptionChanged(let encryption):
      say(
        "encryption",
        [
          "state": .text(encryption.state.rawValue), "safetyCode": JSONLine.Value(encryption.safetyCode),
          "waitingFor": .list(encryption.waitingFor.map { .text($0) }),
        ], Self.words(encryption, in: meeting))
    case .problem(let text): problem(text)
    case .ended(let reason, let message):
      say("left", ["reason": .text(reason.rawValue), "message": .text(message)], message)
    }
  }

  func problem(_ text: String) { say("problem", ["message": .text(text)], text) }

  func tick() async {
    guard !plain, meeting.state == .connected || meeting.state == .reconnecting,
      let statistics = await meeting.statistics()
    else { return }
    say("stats", rates.line(statistics), nil)
  }

  /// The words for people in the lobby.
  nonisolated static func words(tokenEnding time: TimeSpan) -> String {
    "the join token ends in \(time.milliseconds / 1_000) s, and with it this place in the meeting"
  }

  nonisolated static func words(waiting reason: WaitingReason) -> String {
    switch reason {
    case .lobby: "waiting to be let in"
    case .host: "the meeting begins when a host comes"
    case .start: "the meeting begins at its time, or when a host comes"
    }
  }

  /// The encryption in a few words.
  static func words(_ encryption: MeetingEncryption, in meeting: Meeting) -> String {
    switch encryption.state {
    case .off: return "not encrypted"
    case .encrypted:
      return "end-to-end encrypted; the safety code, the same for everybody here, is "
        + (encryption.groupedSafetyCode ?? "not known yet")
    case .waiting:
      let names = encryption.waitingFor.compactMap { meeting.participant($0)?.name }
      return names.isEmpty ? "waiting for the keys" : "waiting for the keys of \(names.joined(separator: ", "))"
    case .refused: return "not joined: this link does not fit the meeting's encryption"
    }
  }

  /// The words about a video that is paused.
  static func words(paused subscription: Subscription) -> String {
    "\(subscription.participant?.name ?? "somebody")'s picture waits: this network has no room for it"
  }

  /// The words about a track that this client can't decode.
  static func words(undecodable publication: RemotePublication) -> String {
    let name = publication.participant?.name ?? "somebody"
    let codec = codec(publication.undecodableCodec)
    return "\(name)'s \(words(publication.source)) cannot be played here: it is sent in \(codec)"
  }

  /// The words about participants who can't decode one of our tracks; nil when everybody can.
  static func words(undecodableFor publication: LocalPublication) -> String? {
    guard let receivers = publication.undecodableFor else { return nil }
    let who = receivers.count == 1 ? "one participant" : "\(receivers.count) participants"
    return "\(who) cannot play your \(words(publication.source)): it is sent in \(codec(receivers.codec))"
  }

  private static func codec(_ codec: CodecInfo?) -> String { codec?.name ?? "an unknown codec" }

  /// The words about a track that was muted or unmuted.
  static func words(muted publication: RemotePublication) -> String {
    words(muted: publication.isMuted, publication.source, of: publication.participant?.name)
  }

  nonisolated static func words(muted: Bool, _ source: TrackSource, of name: String?) -> String {
    "\(name ?? "somebody") has turned the \(words(source)) \(muted ? "off" : "on again")"
  }

  nonisolated private static func words(_ source: TrackSource) -> String {
    switch source {
    case .microphone: "microphone"
    case .camera: "camera"
    case .screen: "screen"
    case .screenAudio: "screen's sound"
    }
  }

  /// The words about a source that has come to its end.
  static func words(ended publication: LocalPublication, _ error: MediaError?) -> String {
    let source = publication.source.rawValue
    return error.map { "the source of \(source) broke off: \($0)" } ?? "the source of \(source) has ended"
  }

  /// For people; programs read `identity` of the participant.
  private func sayRecognition(of participant: any Participant) {
    guard plain, let words = recognitions.words(of: participant) else { return }
    CommandLineText.say(CommandLineText.printable(words) + "\n")
  }

  private func say(_ event: String, _ content: JSONLine, _ words: String?) {
    if plain {
      if let words { CommandLineText.say(CommandLineText.printable(words) + "\n") }
      return
    }
    var line: JSONLine = ["event": .text(event), "time": .number((MonotonicClock.now - start).seconds)]
    for (key, value) in content.pairs { line.add(key, value) }
    line.print()
  }

  private var joined: JSONLine {
    let times = meeting.times
    return [
      "participant": .text(meeting.local.id), "name": .text(meeting.local.name),
      "meeting": .text(meeting.info?.name ?? ""), "url": .text(meeting.info?.url ?? ""),
      "role": .text(meeting.local.role.rawValue),
      "milliseconds": .object([
        "discovered": JSONLine.Value(times.milliseconds(\.discovered)),
        "socketOpened": JSONLine.Value(times.milliseconds(\.socketOpened)),
        "welcomed": JSONLine.Value(times.milliseconds(\.welcomed)),
        "pathSelected": JSONLine.Value(times.milliseconds(\.pathSelected)),
        "connected": JSONLine.Value(times.milliseconds(\.connected)),
      ]),
    ]
  }

  private static func person(_ participant: any Participant) -> JSONLine {
    var line: JSONLine = [
      "id": .text(participant.id), "name": .text(participant.name), "role": .text(participant.role.rawValue),
    ]
    if let identity = (participant as? RemoteParticipant)?.identity, let recognition = identity.recognition {
      line.add("identity", .text(recognition.rawValue))
      if let earlier = identity.earlierName { line.add("earlierName", .text(earlier)) }
    }
    return line
  }

  private static func track(_ publication: RemotePublication) -> JSONLine {
    [
      "participant": .text(publication.participant?.id ?? ""), "name": .text(publication.participant?.name ?? ""),
      "publication": .text(publication.id), "kind": .text(publication.kind.rawValue),
      "source": .text(publication.source.rawValue),
    ]
  }
}
