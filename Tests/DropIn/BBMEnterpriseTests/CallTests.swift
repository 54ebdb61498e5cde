import Crypto
import Foundation
import Parley
import TestSupport
import Testing

@testable import BBMEnterprise
@testable import Messaging
@testable import MessagingClient

/// Calls between endpoints of a real server, with its media.
@MainActor @Suite(.serialized) struct CallTests {
  @Test("a video call rings at both endpoints, one answers, media arrives, it is logged")
  func videoCall() async throws {
    try await CallServer.run { server in
      let ann = try await server.phone("ann", tone: 440, camera: 11)
      let ben = try await server.phone("ben", camera: 21)
      let other = try await server.phone("ben", camera: 31)
      #expect(ben.regId == other.regId && ann.media.isVideoCallingSupported && !ann.media.enableCameraAllowed)
      #expect(await ann.call(ben, kVideo) == kMediaErrorNoError)
      let call = try #require(ann.media.currentCallInfo)
      #expect(
        call.peerRegId == ben.regId.stringValue && !call.incoming && call.videoSupported && call.connectedTime == 0)
      try await wait(for: "both to ring") { ben.heard == ["arrived"] && other.heard == ["arrived"] }
      try await wait(for: "the caller to hear it") { ann.heard.prefix(2) == ["initiated", "ringing"] }
      ben.media.answer()
      ben.media.toggleOutgoingVideo(true)
      try await wait(for: "the other endpoint to be told") { other.heard.last == "ended" }
      #expect(other.ended.first?.logType == kCallLogCompletedElsewhere && other.media.currentCallInfo == nil)
      try await wait(for: "pictures") { ann.picture == 21 && ben.picture == 11 }
      try await wait(for: "tones") { abs(ann.ear.frequency - 550) < 20 && abs(ben.ear.frequency - 440) < 20 }
      #expect(ann.heard.contains("connected") && ben.heard.contains("connected") && call.connectedTime > 0)
      #expect(ann.incomingView?.superview === ann.incomingPlace && ann.sizes.contains { $0.width > 0 })
      #expect(ann.media.outgoingVideoView?.superview === ann.outgoingPlace && ann.heard.contains("own video"))
      // Everybody in the meeting has keys under the call's secret.
      #expect(ann.media.active?.session?.meeting.encryption.state == .encrypted)
      try await wait(for: "the quality") { call.quality == kCallQualityExcellent || call.quality == kCallQualityGood }

      // The end of an earlier connection of the other side doesn't count.
      let session = try #require(ann.media.active?.session)
      let there = try #require(session.meeting.participants.first)
      session.receive(.participantLeft(there, .timeout))
      session.receive(.unsubscribed(try #require(there.publication(.microphone))))
      #expect(ann.media.currentCallInfo === call && ann.incomingView != nil)

      ann.media.setMutingEnabled(true)
      #expect(call.muted)
      try await wait(for: "the mute") { ben.hearsMuted == true }
      ann.media.setMutingEnabled(false)
      try await wait(for: "the sound") { ben.hearsMuted == false }
      try await wait(for: "the camera") { ann.media.toggleCameraAllowed && ann.media.enableCameraAllowed }
      ann.media.toggleCamera()
      try await wait(for: "the other camera") { ben.picture == 12 && ann.heard.contains("camera 2") }
      ann.media.toggleOutgoingVideo(true)
      try await wait(for: "no picture") { ben.incomingView == nil && ann.heard.contains("camera 1") }
      #expect(ann.media.outgoingVideoView == nil && !ann.media.toggleCameraAllowed)
      ann.media.toggleCamera()
      #expect(ann.heard.last == "no camera 2")
      ann.media.setSpeakerPhoneEnabled(true)
      #expect(ann.media.isOnSpeakerPhone)

      // While it is so, nobody else gets through.
      #expect(await ann.call(ben, kVoice) == kMediaErrorCallInProgress)
      #expect(await other.call(ann, kVoice) == kMediaErrorNoError)
      try await wait(for: "the busy tone") { other.ended.last?.logType == kCallLogBusy }
      ann.media.hangup()
      #expect(ann.heard.last == "ended" && call.logType == kCallLogEnded && ann.media.currentCallInfo == nil)
      try await wait(for: "the end") { ben.ended.last?.logType == kCallLogEnded && ben.media.currentCallInfo == nil }
      #expect(ben.incomingView == nil && !call.failed && !call.missed && !call.declined)
    }
  }

  @Test("declining ends a call at other endpoints, and one that was given up is missed")
  func unanswered() async throws {
    try await CallServer.run { server in
      let ann = try await server.phone("ann")
      let (ben, other) = (try await server.phone("ben"), try await server.phone("ben"))
      // The log of the caller, in the chat of the two.
      let manager = BBMMediaCallManager(BBMMediaCallManagerConfig(), service: ann.service)
      var results: [BBMCallCompletionResult] = []
      manager.callResultCallback = { results.append($0) }
      manager.startListening()
      #expect(await ann.call(ben, kVoice) == kMediaErrorNoError)
      try await wait(for: "both to ring") { ben.heard == ["arrived"] && other.heard == ["arrived"] }
      ben.media.decline()
      try await wait(for: "the refusal") { ann.ended.first?.logType == kCallLogDeclined && !other.ended.isEmpty }
      #expect(ann.ended.first?.declined == true && ben.ended.first?.logType == kCallLogDeclined)
      #expect(other.ended.first?.logType == kCallLogDeclinedElsewhere && other.ended.first?.missed == false)

      #expect(await ann.call(ben, kVoice) == kMediaErrorNoError)
      try await wait(for: "both to ring again") { ben.heard.last == "arrived" && other.heard.last == "arrived" }
      ann.media.hangup()
      try await wait(for: "the end") { ben.ended.count == 2 && other.ended.count == 2 }
      #expect(
        ann.ended.last?.logType == kCallLogCancelled
          && results == [kBBMCallCompletionUnanswered, kBBMCallCompletionUnanswered])
      #expect([ben, other].allSatisfy { $0.ended.last?.logType == kCallLogMissed && $0.ended.last?.missed == true })

      let model: BBMDSGeneratedModel = other.service.model()
      try await wait(for: "the log") {
        let chat = (model.chat.observableArray as? [BBMChat])?.first
        guard let chat, chat.lastMessage > 0 else { return false }
        let messages = (1...chat.lastMessage).compactMap {
          model.chatMessage[BBMChatMessageKey(chatId: chat.chatId, messageId: $0)] as? BBMChatMessage
        }
        let events = messages.filter { $0.tag == BBMMediaCallManager.callEventTag }
        let reasons = events.compactMap { $0.rawData?["callLogReason"] as? String }
        return Set(reasons) == ["Call Declined", "Call Cancelled"]
      }
    }
  }

  @Test("a participant without the call's secret isn't shown, and doesn't connect it")
  func otherSecret() async throws {
    try await CallServer.run { server in
      let (ann, ben) = (try await server.phone("ann"), try await server.phone("ben"))
      // The messenger alone takes the call: the media joins with another secret.
      ben.media.isStarted = false
      let messenger = try #require(ben.service.signaling as? Messenger)
      #expect(await ann.call(ben, kVoice) == kMediaErrorNoError)
      let id = try #require(ann.media.active?.id)
      try await wait(for: "the offer") { await messenger.machine.calls[id] != nil }
      try await messenger.answer(id)
      var access = try #require(await messenger.machine.calls[id]?.meeting)
      // The server has sealed texts of it alone.
      let secret = access.secret.text
      let bytes = try #require(Base64URL.decode(secret))
      #expect(try server.stores(Data(id.text.utf8)))
      let digits = bytes.map { String(format: "%02x", $0) }.joined()
      for form in [Data(secret.utf8), Data(bytes), Data(digits.utf8)] { #expect(try !server.stores(form)) }
      access.secret = try LinkSecret()
      try await wait(for: "the caller") { ann.media.active?.session?.meeting.state == .connected }
      ann.media.active?.session?.absenceLimit = .milliseconds(500)
      let stranger = CallSession(access, name: "ben", server: ben.service.server)
      stranger.start(CallSession.Handlers(connected: {}, failed: { _ in }))
      try await wait(for: "the end") { ann.heard.last == "ended" }
      #expect(ann.heard == ["initiated", "failed", "ended"] && ann.incomingViews == 0)
      let call = try #require(ann.ended.last)
      #expect(call.failureReason == kMediaFailureMediaSetup && call.logType == kCallLogConnectionError)
      await stranger.leave().value
    }
  }

  @Test("a server restart ends a call as disconnected, and the next call goes through")
  func restart() async throws {
    try await CallServer.run { server in
      let (ann, ben) = (try await server.phone("ann"), try await server.phone("ben"))
      #expect(await ann.call(ben, kVoice) == kMediaErrorNoError)
      try await wait(for: "the call") { ben.heard == ["arrived"] }
      ben.media.answer()
      try await wait(for: "media") { ann.heard.contains("connected") && ben.heard.contains("connected") }
      // Somebody who is asked about without a server isn't missing.
      let cyd = try await server.phone("cyd")
      let model: BBMDSGeneratedModel = ann.service.model()
      let messenger = try #require(ann.service.signaling as? Messenger)
      try await server.restart {
        try await wait(for: "the loss") { await !messenger.status.isConnected }
        #expect(model.user(withRegId: cyd.regId)?.bbmState == kBBMStatePending)
      }
      try await wait(for: "the end") { ann.heard.suffix(2) == ["failed", "ended"] && ben.heard.last == "ended" }
      let call = try #require(ann.ended.last)
      #expect(call.logType == kCallLogDisconnected && call.failed && call.failureReason == kMediaFailureDisconnected)
      for phone in [ann, ben] { phone.service.sendMessage(toService: BBMRetryServerRequestsMessage()) }
      try await wait(for: "the connection") {
        for phone in [ann, ben] {
          guard let messenger = phone.service.signaling as? Messenger else { return false }
          guard await messenger.status.isConnected else { return false }
        }
        return true
      }
      try await wait(for: "the user") { model.user(withRegId: cyd.regId)?.bbmState == kBBMStateCurrent }
      try await wait(for: "the next call") { await ann.call(ben, kVoice) == kMediaErrorNoError }
      try await wait(for: "it to ring") { ben.heard.last == "arrived" }
      ben.media.decline()
      try await wait(for: "its end") { ann.ended.last?.logType == kCallLogDeclined }

      // The other side leaves the media, and the service never says that the call is over.
      #expect(await ann.call(ben, kVoice) == kMediaErrorNoError)
      try await wait(for: "the last call") { ben.heard.last == "arrived" }
      ben.media.answer()
      try await wait(for: "media again") { ann.heard.last == "connected" && ben.heard.last == "connected" }
      ann.media.active?.session?.absenceLimit = .milliseconds(200)
      ben.media.active?.session?.leave()
      try await wait(for: "the end") { ann.heard.suffix(2) == ["failed", "ended"] && ben.heard.last == "ended" }
      #expect(ann.ended.last?.logType == kCallLogDisconnected)
    }
  }
}
