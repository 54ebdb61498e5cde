import Foundation
import Media
import RTC
import Signaling
import Testing

@testable import Parley

/// The vectors of `Tests/Conformance`, which the tests of the JavaScript SDK read too.
@MainActor @Suite(.serialized) struct ConformanceTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Conformance").standardizedFileURL

  @Test("messages of a server lead to the state that every client must have")
  func vectors() async throws {
    let paths = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    #expect(paths.count > 5)
    for path in paths { try await check(path) }
  }

  private func check(_ path: URL) async throws {
    let vector = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
    let client = try await ConformanceClient(vector)
    var expected: [String: Any] = [:]
    for step in try #require(vector["steps"] as? [[String: Any]]) {
      let title = try #require(step["title"] as? String)
      for message in try #require(step["messages"] as? [[String: Any]]) { try await client.receive(message) }
      for (key, value) in try #require(step["changes"] as? [String: Any]) {
        expected[key] = value is NSNull ? nil : value
      }
      // A task of the main actor releases a track that a host ends.
      for _ in 0..<100 where Self.text(client.state) != Self.text(expected) { await Task.yield() }
      for key in Set(expected.keys).union(client.state.keys).sorted() {
        let name = "\(path.lastPathComponent), \(title): \(key)"
        #expect(Self.text(client.state[key]) == Self.text(expected[key]), "\(name)")
      }
    }
    await client.end()
  }

  private static func text(_ value: Any?) -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
    let data = try? JSONSerialization.data(withJSONObject: value ?? NSNull(), options: options)
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}

/// A meeting that gets messages without a socket.
@MainActor private final class ConformanceClient {
  private let meeting: Meeting

  init(_ vector: [String: Any]) async throws {
    meeting = try Meeting("http://127.0.0.1:1/daily", name: vector["name"] as? String)
    for track in vector["publish"] as? [[String: Any]] ?? [] {
      let source = try #require(TrackSource(rawValue: track["source"] as? String ?? ""))
      let publication = LocalPublication(
        source: source, publisher: SilentPublisher(source.kind == .audio ? .audio : .video),
        isMuted: track["muted"] as? Bool == true, owner: meeting.local)
      meeting.local.publications.append(publication)
    }
    try await connect()
  }

  private func connect() async throws { meeting.connection = try await MediaConnection.open(SessionConfiguration()) }

  /// As ``SignalingChannel`` and ``Meeting`` treat a message from the socket.
  func receive(_ object: [String: Any]) async throws {
    let bytes = Array(try JSONSerialization.data(withJSONObject: object))
    guard let message = try? SignalingDecoder().serverMessage(from: bytes) else { return }
    switch message {
    case .waiting(let reason, _): meeting.beginWaiting(for: reason)
    case .welcome(let welcome):
      if meeting.info != nil {
        meeting.dropConnection()
        try await connect()
      }
      meeting.endWaiting()
      meeting.apply(welcome)
    default: meeting.apply(message)
    }
  }

  func end() async {
    meeting.joinDeadline?.cancel()
    await meeting.leave()
  }

  // MARK: State

  /// In the form of `Tests/Conformance/README.md`.
  var state: [String: Any] {
    var state: [String: Any?] = [
      "self": own, "participants": meeting.participants.map(described),
      "speakers": meeting.speakers.map { ["participant": "\($0.id)", "level": $0.audioLevel] as [String: Any] },
      "quality": quality, "chat": meeting.chat.map(described), "polls": meeting.polls.map(described),
      "spotlight": meeting.spotlight.map { "\($0.id)" }, "waiting": meeting.waitingReason?.rawValue,
      "ended": meeting.endReason?.rawValue,
    ]
    state["meeting"] = meeting.info.map { ["name": $0.name, "subject": $0.subject] }
    state["muteForAll"] = meeting.muteForAll.map {
      filled(["sources": $0.sources.map(\.rawValue), "mayUnmute": $0.mayUnmute])
    }
    state["lobby"] = filled([
      "waiting": meeting.lobby.map { ["id": "\($0.id)", "name": $0.name] }, "locked": meeting.isLocked,
    ])
    return filled(state)
  }

  private var own: [String: Any] {
    let local = meeting.local
    return filled([
      "id": "\(local.id)", "name": local.name, "role": local.role.rawValue, "hand": local.hand,
      "permissions": local.permissions.map(\.rawValue).sorted(),
      "publications": local.publications.map {
        filled([
          "id": $0.id.isEmpty ? nil : "\($0.id)", "source": $0.source.rawValue, "muted": $0.isMuted,
          "mutedByHost": $0.isMutedByHost,
        ])
      },
    ])
  }

  private func described(_ participant: RemoteParticipant) -> [String: Any] {
    filled([
      "id": "\(participant.id)", "name": participant.name, "role": participant.role.rawValue,
      "permissions": participant.permissions.map(\.rawValue).sorted(), "reconnecting": participant.isReconnecting,
      "hand": participant.hand, "data": participant.data, "publications": participant.publications.map(described),
    ])
  }

  private func described(_ publication: RemotePublication) -> [String: Any] {
    filled([
      "id": "\(publication.id)", "kind": publication.kind == .audio ? "audio" : "video",
      "source": publication.source.rawValue, "name": publication.name, "muted": publication.isMuted,
      "mutedByHost": publication.isMutedByHost, "slot": publication.subscription?.mid.rawValue,
      "paused": publication.subscription?.isPaused, "undecodable": publication.undecodableCodec?.name,
    ])
  }

  private func described(_ message: ChatMessage) -> [String: Any] {
    filled([
      "id": message.id, "from": "\(message.from)", "name": message.name, "text": message.text,
      "to": message.to.map { "\($0)" }, "edited": message.edited != nil, "deleted": message.deleted?.rawValue,
      "file": message.file?.id,
    ])
  }

  private func described(_ poll: Poll) -> [String: Any] {
    filled([
      "id": poll.id, "question": poll.question, "multiple": poll.multiple, "results": poll.results.rawValue,
      "open": poll.isOpen, "voters": poll.voters, "mine": poll.mine,
      "options": poll.options.map { filled(["text": $0.text, "votes": $0.votes]) },
    ])
  }

  private var quality: [String: Any] {
    let everybody: [any Participant] = [meeting.local] + meeting.participants
    let known = everybody.filter { $0.quality != .excellent }.map { ("\($0.id)", $0.quality.rawValue) }
    return Dictionary(known) { first, _ in first }
  }

  /// Without the keys whose value is nil, false or empty.
  private func filled(_ values: [String: Any?]) -> [String: Any] {
    values.compactMapValues { $0 }.filter { _, value in
      if let flag = value as? Bool { return flag }
      if let list = value as? [Any] { return !list.isEmpty }
      if let object = value as? [String: Any] { return !object.isEmpty }
      return true
    }
  }
}
