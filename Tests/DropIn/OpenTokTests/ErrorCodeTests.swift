import Foundation
import Glibc
import Parley
import TestSupport
import Testing

@testable import OpenTok

/// The numbers of version 2 by their names, and what gives them.
@MainActor @Suite(.serialized) struct ErrorCodeTests {
  @Test("every code has the number of OpenTok's headers, those that are never given too")
  func numbers() {
    let session: [(OTSessionErrorCode, Int32)] = [
      (.OTSessionSuccess, 0), (.OTAuthorizationFailure, 1004), (.OTErrorInvalidSession, 1005),
      (.OTConnectionFailed, 1006),
      (.OTNotConnected, 1010), (.OTNullOrInvalidParameter, 1011), (.OTSessionIllegalState, 1015),
      (.OTSessionStateFailed, 1020),
      (.OTSessionConnectionTimeout, 1021), (.OTConnectionDropped, 1022), (.OTConnectionRefused, 1023),
      (.OTSessionBlockedCountry, 1026), (.OTSessionConnectionLimitExceeded, 1027), (.OTSessionSubscriberNotFound, 1112),
      (.OTSessionPublisherNotFound, 1113), (.OTP2PSessionMaxParticipants, 1403), (.OTSessionSignalDataTooLong, 1413),
      (.OTSessionInvalidSignalType, 1461), (.OTNoMessagingServer, 1503), (.OTSessionUnableToForceDisconnect, 1520),
      (.OTSessionUnableToForceMute, 1540), (.OTSessionUnableToSendSignal, 1550), (.OTSessionInternalError, 2000),
      (.OTSessionEncryptionSecretMissing, 6000), (.OTSessionInvalidEncryptionSecret, 6004),
    ]
    #expect(session.map(\.0) == OTSessionErrorCode.allCases)
    for (code, number) in session { #expect(code.rawValue == number) }
    let publisher: [(OTPublisherErrorCode, Int32)] = [
      (.OTPublisherSuccess, 0), (.OTSessionDisconnected, 1010),
      (.OTPublisherWebRTCError, 1610), (.OTPublisherInternalError, 2000),
      (.OTPublisherEncryptionInternalError, 6001), (.EncryptionUnsupportedCodec, 6005),
      (.OTPublisherInvalidScalabilityMode, 6006),
    ]
    #expect(publisher.map(\.0) == OTPublisherErrorCode.allCases)
    for (code, number) in publisher { #expect(code.rawValue == number) }
    #expect(OTPublisherErrorCode.publisherStreamLimitExceeded == 1605)
    #expect(OTPublisherErrorCode.OTPublisherMissingAudioTrack == .OTPublisherInternalError)
    let subscriber: [(OTSubscriberErrorCode, Int32)] = [
      (.OTSubscriberSuccess, 0), (.OTSubscriberSessionDisconnected, 1010), (.OTConnectionTimedOut, 1542),
      (.OTSubscriberWebRTCError, 1600), (.OTSubscriberServerCannotFindStream, 1604),
      (.OTSubscriberStreamLimitExceeded, 1605),
      (.OTSubsriberPeerConnectionNotConnected, 1606), (.OTSubscriberInternalError, 2000),
      (.OTSubscriberDecryptionInternalError, 6002), (.EncryptionSecretMismatch, 6003),
      (.DecryptionUnsupportedCodec, 6006),
    ]
    #expect(subscriber.map(\.0) == OTSubscriberErrorCode.allCases)
    for (code, number) in subscriber { #expect(code.rawValue == number) }
    #expect(OTSubscriberVideoEventReason.codecNotSupported.rawValue == 4 && OTStreamVideoType.custom.rawValue == 3)
  }

  private func failure(at url: String, id: String) async throws -> [String] {
    let book = Notebook()
    let settings = OTSessionSettings()
    settings.apiURL = URL(string: url)
    let session = try #require(OTSession(apiKey: "100", sessionId: id, delegate: book, settings: settings))
    session.connect(withToken: "devtoken", error: nil)
    try await wait(for: "a failure at \(url)") { !book.lines.isEmpty }
    return book.lines
  }

  private func failed(_ code: OTSessionErrorCode) -> [String] { ["failed \(OTSessionErrorDomain) \(code.rawValue)"] }

  private func old(_ code: OTSessionErrorCode) -> Int { OTError(code, "").asLegacy().code }

  // sessionConnectionLimitExceeded, connectionRefused, noMessagingServer and sessionConnectionTimeout.
  @Test("full, locked, foreign and silent servers give different errors")
  func connecting() async throws {
    try await LiveSession.run(configure: { $0.maximumParticipants = 1 }) { live in
      let ann = try await Guest(live)
      #expect(try await failure(at: live.url, id: live.id) == failed(.OTSessionConnectionLimitExceeded))
      try await ann.disconnect()
      let stranger = try LonelyPort(answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nHello")
      #expect(try await failure(at: stranger.url, id: live.id) == failed(.OTNoMessagingServer))
      #expect(old(.OTNoMessagingServer) == OTLegacyErrorCode.Session.noMessagingServer.number)
      #expect(old(.OTConnectionFailed) == OTLegacyErrorCode.Session.connectionFailed.number)
      #expect(old(.OTSessionConnectionTimeout) == OTLegacyErrorCode.Session.sessionConnectionTimeout.number)
      #expect(old(.OTConnectionRefused) == OTLegacyErrorCode.Session.connectionRefused.number)
      let silent = try LonelyPort(answer: nil)
      #expect(try await failure(at: silent.url, id: live.id) == failed(.OTSessionConnectionTimeout))
    }
    try await LiveSession.run { live in
      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      try await host.lock()
      try await wait(for: "the lock") { host.isLocked }
      #expect(try await failure(at: live.url, id: live.id) == failed(.OTConnectionRefused))
      await host.leave()
    }
  }

  // Also by a full lobby; 5 in version 1.
  @Test("a refusal without a number of its own is connectionRefused")
  func refused() {
    for code in ["meetingLocked", "lobbyFull", "meetingCancelled", "passcodeBlocked"] {
      let number = JoinError.refused(code: code, message: "No.").sessionCode
      #expect(number == .connectionRefused, "\(code)")
      #expect(OTError(number, "No.").asLegacy().code == OTLegacyErrorCode.Session.connectionRefused.number, "\(code)")
    }
  }

  // Before the app has heard of the removal; subscribing gives subscriberSessionDisconnected.
  @Test("after a removal, publishing and subscribing give sessionDisconnected")
  func disconnected() async throws {
    try await LiveSession.run { live in
      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      try await host.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 5)))
      let queue = DispatchQueue(label: "app")
      let ben = try await Guest(live) { $0.apiQueue = queue }
      let stream = try await ben.stream("Host")
      let (publisher, subscriber) = (
        try ben.publisher("Ben"), try #require(OTSubscriber(stream: stream, delegate: ben.book))
      )
      var isHeld = true
      defer { if isHeld { queue.resume() } }
      queue.suspend()
      try await host.participants.first?.remove()
      try await wait(for: "the end at Ben's") { ben.session.engine.meeting == nil }
      #expect(ben.code { ben.session.publish(publisher, error: $0) } == nil)
      #expect(ben.code { ben.session.subscribe(subscriber, error: $0) } == nil)
      try await wait(for: "both to be refused") { publisher.session == nil && !subscriber.isSubscribed }
      queue.resume()
      isHeld = false
      try await wait(for: "both failures: \(ben.book.lines)") {
        ben.book.saw(
          "publisher failed \(OTPublisherErrorDomain) \(OTPublisherErrorCode.OTSessionDisconnected.rawValue)")
          && ben.book.saw(
            "subscriber failed \(OTSubscriberErrorDomain) \(OTSubscriberErrorCode.OTSubscriberSessionDisconnected.rawValue)"
          )
      }
      let late = OTError(OTSubscriberErrorCode.OTConnectionTimedOut, "").asLegacy()
      #expect(late.code == OTLegacyErrorCode.Subscriber.connectionTimedOut.number)
      #expect(ben.book.saw("disconnected true"))
      await host.leave()
    }
  }

  // Publishing gives publisherWebRTCError, a stream without media connectionTimedOut after 20 s, a call without a
  // place for an error authorizationFailure.
  @Test("a withdrawn permission and a silent stream have errors of their own")
  func withoutRights() async throws {
    try await LiveSession.run { live in
      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      try await host.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 5)))
      let queue = DispatchQueue(label: "app")
      let ben = try await Guest(live) { $0.apiQueue = queue }
      ben.book.isOnQueue = { true }
      let stream = try await ben.stream("Host")
      let guest = try #require(host.participants.first)
      try await guest.setPermissions(guest.permissions.subtracting([.publishVideo]))
      try await wait(for: "the right to go") {
        ben.session.engine.meeting?.local.permissions.contains(.publishVideo) == false
      }
      ben.session.publish(try ben.publisher("Ben"), error: nil)
      let refused = OTPublisherErrorCode.OTPublisherWebRTCError.rawValue
      try await wait(for: "the refusal: \(ben.book.lines)") {
        ben.book.saw("publisher failed \(OTPublisherErrorDomain) \(refused)")
      }

      // The app has not heard yet that it may not subscribe any more.
      let (early, late) = (
        try #require(OTSubscriber(stream: stream, delegate: ben.book)),
        try #require(OTSubscriber(stream: stream, delegate: ben.book))
      )
      var isHeld = true
      defer { if isHeld { queue.resume() } }
      queue.suspend()
      try await guest.setPermissions([.chat])
      try await wait(for: "the other rights to go, and what is received by them") {
        guard let meeting = ben.session.engine.meeting else { return false }
        let received = meeting.participants.flatMap(\.publications).filter { $0.subscription != nil }
        return !meeting.local.permissions.contains(.subscribe) && received.isEmpty
      }
      #expect(ben.code { ben.session.subscribe(early, error: $0) } == nil)
      queue.resume()
      isHeld = false
      let timedOut = OTSubscriberErrorCode.OTConnectionTimedOut.rawValue
      try await wait(for: "the time to pass: \(ben.book.lines)") {
        ben.book.saw("subscriber failed \(OTSubscriberErrorDomain) \(timedOut)")
      }
      #expect(!early.isSubscribed && ben.session.capabilities?.canSubscribe == false)
      ben.session.subscribe(late)
      ben.session.publish(try ben.publisher("Ben"))
      try await wait(for: "both failures: \(ben.book.lines)") {
        let code = "\(OTSessionErrorDomain) \(OTSessionErrorCode.OTAuthorizationFailure.rawValue)"
        return ben.book.saw("subscriber failed " + code) && ben.book.saw("publisher failed " + code)
      }
      ben.session.disconnect(nil)
      await host.leave()
    }
  }
}

/// A port on loopback that gives everybody who connects the same answer, or none.
private final class LonelyPort: Sendable {
  let url: String
  private let descriptor: Int32

  init(answer: String?) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, raw, &length) == 0
      }
    }
    try #require(isBound, "no free port")
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    guard let answer else { return }
    Thread.detachNewThread {
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        var request = [UInt8](repeating: 0, count: 4_096)
        _ = read(client, &request, request.count)
        _ = send(client, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        close(client)
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
