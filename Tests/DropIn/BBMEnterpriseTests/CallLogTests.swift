import Basics
import Foundation
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import BBMEnterprise
@testable import Messaging
@testable import MessagingClient

/// The service's reports of calls, without a server.
@MainActor @Suite struct CallLogTests {
  private func end(_ end: CallEnd, isIncoming: Bool, isAnswered: Bool = false) -> BBMCall? {
    let (service, feed) = Feed.service()
    let phone = Listener()
    let media: BBMMediaManager = service.mediaManager()
    media.start(withLogPath: nil)
    media.add(phone)
    var call = Call(
      id: CallID("call"), peer: RegID(9), isIncoming: isIncoming, medium: .voice, state: .offered, metadata: nil,
      end: nil)
    if isIncoming {
      feed.callChanged?(.offered(call))
    } else {
      media.active = ActiveCall(BBMCall(call.id, peer: call.peer, incoming: false), wantsVideo: false)
    }
    media.active?.isAnswered = isAnswered
    call.state = .ended
    call.end = end
    feed.callChanged?(.ended(call))
    media.remove(phone)
    return phone.ended
  }

  private final class Listener: BBMEMediaDelegate {
    var ended: BBMECall?
    var offered: BBMDataConnection?
    var initiated = 0
    func callEnded(_ call: BBMCall!) { ended = call }
    func outgoingCallInitiated(_ call: BBMCall!) { initiated += 1 }
    func incomingDataConnectionOffered(_ connection: BBMDataConnection!) { offered = connection }
  }

  @Test("each end of a call has its type in the log, on both sides")
  func types() {
    let ends: [CallEnd] = [
      .answeredElsewhere, .declinedElsewhere, .declined, .busy, .hungUp, .unanswered, .lost,
    ]
    #expect(
      ends.map { end($0, isIncoming: true)?.logType } == [
        kCallLogCompletedElsewhere, kCallLogDeclinedElsewhere, kCallLogDeclined, kCallLogBusy, kCallLogMissed,
        kCallLogMissed, kCallLogConnectionError,
      ])
    #expect(
      [CallEnd.declined, .busy, .hungUp, .unanswered, .lost].map { end($0, isIncoming: false)?.logType } == [
        kCallLogDeclined, kCallLogBusy, kCallLogCancelled, kCallLogUnavailable, kCallLogConnectionError,
      ])
    // Answered, and over before media has flown.
    #expect(
      [true, false].map { end(.hungUp, isIncoming: $0, isAnswered: true)?.logType } == [kCallLogEnded, kCallLogEnded])
    #expect(end(.lost, isIncoming: false)?.failureReason == kMediaFailureNetwork)
    #expect(kCallLogNone.rawValue == 0 && BBMMediaCallManager.text(kCallLogDisconnected) == "Call Disconnected")
  }

  @Test("a view that was taken away reports no size any more")
  func sizesAfterTheEnd() async throws {
    let (stage, screen) = (VideoStage(), Screen())
    stage.add(screen)
    let frame = VideoFrame(width: 8, height: 6, time: MonotonicClock.now) { _, _, _ in }
    for isKept in [true, false] {
      let view = CallVideoView(frame: .zero)
      stage.setIncoming(view)
      for sink in view.sinks { sink.receive(frame) }
      if !isKept { stage.setIncoming(nil) }
      try await wait(for: "the size") { view.videoSize.width == 8 }
    }
    #expect(screen.heard == ["size", "disabled"])
  }

  private final class Screen: BBMMediaVideoPresenter {
    let place = UIView(frame: CGRect(x: 0, y: 0, width: 32, height: 24))
    var heard: [String] = []
    func incomingVideoContainer() -> UIView! { place }
    func outgoingVideoContainer() -> UIView! { nil }
    func incomingVideoDisabled() { heard.append("disabled") }
    func videoView(_ view: (any UIView & BBMVideoView)!, didChangeVideoSize size: CGSize) { heard.append("size") }
  }

  @Test("without a server, or before the media manager is started, nothing is called")
  func notReady() {
    let (service, feed) = Feed.service()
    let media: BBMEMediaManager = service.mediaManager()
    var errors: [BBMMediaError] = []
    let signaling = FakeSignaling()
    feed.signaling = signaling
    media.callRegId(9, mediaMode: kVoice) { errors.append($0) }
    media.startDataConnection(9, metaData: nil) { _, error in errors.append(error) }
    for medium in [CallMedium.voice, .data] {
      let call = Call(
        id: CallID("call"), peer: RegID(9), isIncoming: true, medium: medium, state: .offered, metadata: nil, end: nil)
      feed.callChanged?(.offered(call))
    }
    #expect(media.placing.isEmpty && media.currentCallInfo == nil && media.connections.isEmpty)
    feed.signaling = nil
    media.start(withLogPath: nil)
    media.callRegId(9, mediaMode: kVoice) { errors.append($0) }
    media.startDataConnection(9, metaData: nil) { _, error in errors.append(error) }
    #expect(errors == Array(repeating: kMediaErrorNotReady, count: 4) && signaling.steps.isEmpty)
    var isGranted = false
    let callback: MediaPermissionsCallback = { isGranted = $0 }
    media.requestMediaPermissions(callback: callback, mode: kVideo)
    #expect(isGranted && media.currentCallInfo == nil)
    media.acceptCall()
    media.answer()
    (media.incomingRingtone, media.outgoingRingtone, media.callEndTone) = (nil, nil, nil)
    let errorsOfMessenger: [MessengerError] = [
      .keysMissing([RegID(9)]), .disconnected, .notFound, .tooLarge, .failed,
      .refused(MessagingFailure(.limitReached, "too many")),
    ]
    #expect(
      errorsOfMessenger.map { BBMMediaManager.mediaError($0) } == [
        kMediaFailureKeyError, kMediaFailureNetwork, kMediaErrorInvalidPeer, kMediaErrorTooLarge, kMediaErrorRefused,
        kMediaErrorRefused,
      ])
  }

  @Test("data connections with one user have a limit, offered and started ones together")
  func connectionsOfOnePeer() async throws {
    let (service, feed) = Feed.service()
    let media: BBMEMediaManager = service.mediaManager()
    let signaling = FakeSignaling()
    feed.signaling = signaling
    media.start(withLogPath: nil)
    var errors: [BBMMediaError] = []
    func start(_ peer: Int) { media.startDataConnection(NSNumber(value: peer), metaData: nil) { errors.append($1) } }
    func offer(_ index: Int, from peer: UInt64) {
      let call = Call(
        id: CallID("offer\(index)"), peer: RegID(peer), isIncoming: true, medium: .data, state: .offered,
        metadata: nil, end: nil)
      feed.callChanged?(.offered(call))
    }
    let most = BBMMediaManager.connectionsPerPeer
    for index in 1..<most { offer(index, from: 9) }
    // The second one is refused while the first is being placed.
    start(9)
    start(9)
    #expect(errors == [kMediaErrorRefused])
    try await wait(for: "the connection") { errors == [kMediaErrorRefused, kMediaErrorNoError] }
    offer(8, from: 9)
    offer(9, from: 10)
    try await wait(for: "the refusal") { signaling.steps.contains("busy offer8") }
    #expect(media.connections.count == most + 1 && !signaling.steps.contains("busy offer9"))
    let first = try #require(media.connections[CallID("offer1")])
    media.end(first.connection)
    offer(10, from: 9)
    #expect(media.connections[CallID("offer10")] != nil)
  }

  @Test("an answer that fails and of which no event comes ends the call, and is hung up")
  func failedAnswers() async throws {
    let errors: [(MessengerError, BBMMediaError)] = [
      (.refused(MessagingFailure(.tokenNeeded, "")), kMediaErrorRefused), (.disconnected, kMediaFailureNetwork),
    ]
    for (error, reason) in errors {
      let (service, feed) = Feed.service()
      let (signaling, phone) = (FakeSignaling(), Listener())
      (feed.signaling, signaling.answerError) = (signaling, error)
      let media: BBMMediaManager = service.mediaManager()
      media.start(withLogPath: nil)
      media.add(phone)
      for medium in [CallMedium.voice, .data] {
        let call = Call(
          id: CallID(medium.rawValue), peer: RegID(9), isIncoming: true, medium: medium, state: .offered, metadata: nil,
          end: nil)
        feed.callChanged?(.offered(call))
      }
      let connection = try #require(phone.offered)
      media.answer()
      media.accept(connection)
      try await wait(for: "the steps") { signaling.steps.count == 4 }
      #expect(Set(signaling.steps) == ["answer voice", "hangUp voice", "answer data", "hangUp data"])
      #expect(phone.ended?.failureReason == reason && phone.ended?.logType == kCallLogConnectionError)
      #expect(connection.failureReason == reason && media.currentCallInfo == nil && media.connections.isEmpty)
      media.remove(phone)
    }
  }

  @Test("a call the server takes after it was given up or the service stopped is hung up")
  func lateCalls() async throws {
    let (service, feed) = Feed.service()
    let (signaling, phone) = (FakeSignaling(), Listener())
    (feed.signaling, signaling.holdsCalls) = (signaling, true)
    let media: BBMMediaManager = service.mediaManager()
    media.start(withLogPath: nil)
    media.add(phone)
    var errors: [BBMMediaError] = []
    media.callRegId(9, mediaMode: kVoice) { errors.append($0) }
    media.callRegId(9, mediaMode: kVoice) { #expect($0 == kMediaErrorCallInProgress) }
    media.startDataConnection(9, metaData: nil) { errors.append($1) }
    try await wait(for: "two requests") { signaling.steps.count == 2 }
    media.hangup()
    media.callRegId(10, mediaMode: kVideo) { errors.append($0) }
    try await wait(for: "the next request") { signaling.steps.count == 3 }
    service.stop()
    signaling.release()
    try await wait(for: "the ends") { signaling.steps.count == 6 && errors.count == 3 }
    #expect(Set(signaling.steps.suffix(3)) == ["hangUp call1", "hangUp call2", "hangUp call3"])
    #expect(errors == [kMediaErrorCancelled, kMediaErrorCancelled, kMediaErrorCancelled])
    #expect(phone.initiated == 0 && media.currentCallInfo == nil && media.connections.isEmpty && media.placing.isEmpty)
  }

  @Test("alerts ask about calls with the other side's name, and durations have a text")
  func callManager() async throws {
    let (service, feed) = Feed.service()
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    window.rootViewController = UIViewController()
    window.makeKeyAndVisible()
    defer { window.close() }
    let configuration: BBMMediaCallManagerConfig = BBMMediaCallManagerConfig.default()
    #expect(BBMMediaCallManagerConfig.defaultConfig().applicationName == configuration.applicationName)
    configuration.applicationName = "Phone"
    let manager = BBMMediaCallManager(configuration, service: service)
    let resolver: @MainActor (NSNumber?, UserNameResolverCallback?) -> Void = { $1?("Ben \($0 ?? 0)") }
    manager.userNameResolver = resolver
    let pictures: @MainActor (NSNumber?, UserAvatarResolverCallback?) -> Void = { $1?(nil) }
    manager.avatarResolver = pictures
    manager.postsCallEvents = false
    var results: [BBMCallCompletionResult] = []
    manager.callResultCallback = { results.append($0) }
    manager.startListening()
    manager.startCall(kVoice, regId: 9) { #expect(!$0) }
    let call = Call(
      id: CallID("call"), peer: RegID(9), isIncoming: true, medium: .voice, state: .offered, metadata: nil, end: nil)
    feed.callChanged?(.offered(call))
    let question = try #require(Question())
    #expect(question.alert.title == "Phone" && question.alert.message == "Incoming call from Ben 9")
    question.answer("Decline")
    #expect(results == [kBBMCallCompletionUnanswered] && Question() == nil)
    // An outgoing one can be given up while it rings.
    let signaling = FakeSignaling()
    feed.signaling = signaling
    manager.startCall(kVoice, regId: 9) { #expect($0) }
    let calling = { UIApplication.shared.alerts.first { $0.message == "Calling Ben 9" } }
    try await wait(for: "the call") { calling() != nil }
    let alert = try #require(calling())
    alert.choose(try #require(alert.actions.first { $0.title == "End Call" }))
    try await wait(for: "the hang-up") { signaling.steps.last == "hangUp call1" }
    #expect(results == [kBBMCallCompletionUnanswered, kBBMCallCompletionUnanswered])
    #expect([0, 59, 61.9, 3_661].map { BBMUtilities.duration(asString: $0) } == ["0:00", "0:59", "1:01", "1:01:01"])
    let values = [
      kBBMCallCompletionCompleted.rawValue, kBBMCallCompletionFailed.rawValue, kCallQualityUnknown.rawValue,
      kCallQualityLost.rawValue, kCallQualityPoor.rawValue, kCameraOperationStart.rawValue,
      kCameraOperationStop.rawValue, kCameraOperationSwitch.rawValue, kMediaFailureMediaSetup.rawValue,
    ]
    #expect(values == [0, 2, 0, 1, 2, 0, 1, 2, 8])
  }
}
