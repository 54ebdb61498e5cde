import Basics
import Crypto
import Media
import MeetingServer
import TestSupport
import Testing

@testable import Parley

/// Encrypted meetings against a live server.
@MainActor @Suite(.serialized) struct EncryptedMeetingTests {
  private func options(_ secret: LinkSecret?) -> JoinOptions {
    var options = JoinOptions()
    options.linkSecret = secret
    return options
  }

  private func failure(_ url: String, _ secret: LinkSecret?) async throws -> (JoinError?, MeetingEncryption) {
    let meeting = try Meeting(url, name: "Eve", options: options(secret))
    do throws(JoinError) {
      try await meeting.join()
      await meeting.leave()
      return (nil, meeting.encryption)
    } catch { return (error, meeting.encryption) }
  }

  @Test("two with one link share code, media, messages, data, and the server sees none")
  func together() async throws {
    try await LiveServer.run(configure: { $0.isDevelopment = true }) { server in
      let secret = try LinkSecret()
      let url = "\(server.url)/sealed"
      let ann = try Meeting(
        "\(url)#e2ee=\(secret.text)", token: Secret("moderator_token"), name: "Ann")
      let witness = Witness(ann)
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180)))
      try await ann.join()
      let ben = try await Meeting.join(url, name: "Ben", options: options(secret))
      try await wait(for: "one code: \(ann.encryption) \(ben.encryption)") {
        ann.encryption.state == .encrypted && ann.encryption.safetyCode == ben.encryption.safetyCode
      }
      #expect(ann.encryption.safetyCode?.count == 30 && ann.info?.e2ee == true)
      #expect(witness.saw("encryption encrypted"))

      try await wait(for: "Ann's camera") { ben.participants.first?.publication(.camera)?.subscription != nil }
      let video = try #require(ben.participants.first?.publication(.camera)?.subscription?.video)
      let sink = NullSink()
      video.add(sink)
      try await wait(for: "pictures") { video.framesDecoded > 10 }
      let statistics = try #require(await ben.statistics()?.encryption)
      #expect(statistics.framesOpened > 10)
      #expect(try #require(await ann.statistics()?.encryption).framesNotSent.isEmpty)

      let readers = Witness(ben)
      try ann.send(chat: "the marker of the chat")
      try await wait(for: "the message: \(ben.chat)") { ben.chat.last?.text == "the marker of the chat" }
      try await wait(for: "the own message") { ann.chat.last?.text == "the marker of the chat" }
      try await ann.edit(try #require(ann.chat.last), text: "the changed marker")
      try await wait(for: "the change") { ben.chat.last?.text == "the changed marker" }
      let export = String(decoding: try await ann.exportChat(), as: UTF8.self)
      #expect(!export.contains("marker"), "the server can read the chat")
      try await ann.sendSignal(type: "move", data: "e2e4")
      try await wait(for: "the signal: \(readers.events)") { readers.events.contains { $0.contains("e2e4") } }
      try await ben.send([1, 2, 3], topic: "game")
      try await wait(for: "the data") { witness.data.last?.bytes == [1, 2, 3] }

      // Cem reads messages from now on.
      let cem = try await Meeting.join(url, name: "Cem", options: options(secret))
      #expect(cem.chat.allSatisfy { $0.text == MessageSealing.unreadable })
      // Before Ben knows Cem, his messages are sealed for the others alone.
      try await wait(for: "one code") {
        cem.encryption.state == .encrypted && cem.encryption.safetyCode == ben.encryption.safetyCode
      }
      try ben.send(chat: "and now Cem")
      try await wait(for: "the later message") { cem.chat.last?.text == "and now Cem" }
      let three = ann.encryption.safetyCode
      await cem.leave()
      try await wait(for: "another code") { ann.encryption.safetyCode != three && ann.encryption.state == .encrypted }
      let count = video.framesDecoded
      try await wait(for: "pictures under the next key") { video.framesDecoded > count + 60 }
      await ben.leave()
      await ann.leave()
    }
  }

  @Test("joining without the link, with another key or in clear fails with a reason")
  func refusals() async throws {
    try await LiveServer.run { server in
      let secret = try LinkSecret()
      let ann = try await Meeting.join("\(server.url)/private", name: "Ann", options: options(secret))
      let (plain, plainState) = try await failure("\(server.url)/private", nil)
      #expect(plain == .encryptionRequired && plainState.state == .refused && plainState.safetyCode == nil)
      let (other, otherState) = try await failure("\(server.url)/private", try LinkSecret())
      #expect(other == .wrongSecret && otherState.state == .refused)
      try await wait(for: "Ann alone") { ann.participants.isEmpty }
      #expect(ann.encryption.state == .encrypted)
      let open = try await Meeting.join("\(server.url)/public", name: "Ann")
      #expect(open.encryption == MeetingEncryption(.off))
      let (sealed, sealedState) = try await failure("\(server.url)/public", secret)
      #expect(sealed == .notEncrypted && sealedState.state == .refused)
      await open.leave()
      await ann.leave()
    }
  }

  @Test("a lost socket keeps the keys, and joining anew makes others")
  func reconnecting() async throws {
    try await LiveServer.run { server in
      let secret = try LinkSecret()
      let ann = try await Meeting.join("\(server.url)/again", name: "Ann", options: options(secret))
      let ben = try await Meeting.join("\(server.url)/again", name: "Ben", options: options(secret))
      try await wait(for: "one code") {
        ben.encryption.safetyCode != nil && ann.encryption == ben.encryption && ann.encryption.state == .encrypted
      }
      let (code, ring) = (ben.encryption.safetyCode, ben.secret?.ring)
      let witness = Witness(ben)
      ben.signaling?.channel.close()
      try await wait(for: "the socket: \(witness.events)") { witness.saw("reconnected") }
      #expect(ben.secret?.ring === ring && ben.encryption.safetyCode == code)
      try ben.send(chat: "still here")
      try await wait(for: "the message") { ann.chat.last?.text == "still here" }
      ben.rejoin()
      try await wait(for: "the new place") { ben.state == .connected && ben.secret?.ring !== ring }
      try ben.send(chat: "here again")
      try await wait(for: "the message after it") { ann.chat.last?.text == "here again" }
      // Guests have one identity a meeting, so that the code is the same.
      try await wait(for: "one code again") { ann.encryption == ben.encryption && ann.encryption.safetyCode == code }
      await ben.leave()
      await ann.leave()
    }
  }
}
