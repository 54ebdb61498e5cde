import Foundation
import OpenTok
import ParleyViews

/// Writes down every callback, as an app's delegate would get it.
// unchecked: state that several threads use is behind `lock`; the two closures are set before the first callback.
final class Notebook: OTSessionDelegate, OTPublisherDelegate, OTSubscriberDelegate, OTSubscriberKitAudioLevelDelegate,
  OTPublisherKitAudioLevelDelegate, OTSubscriberKitNetworkStatsDelegate, OTPublisherKitNetworkStatsDelegate,
  OTSubscriberKitRtcStatsReportDelegate, OTPublisherKitRtcStatsReportDelegate, OTSubscriberKitCaptionsDelegate,
  @unchecked Sendable
{
  private let lock = NSLock()
  private var written: [String] = []
  private var offQueue: [String] = []
  private var loudest: Float = 0
  private var counts: [String: UInt64] = [:]
  private var marked: [String: Int] = [:]
  private var foundStreams: [OTStream] = []
  private var foundConnections: [OTConnection] = []
  private var sizes: [CGSize] = []
  private var reports: [String] = []
  private var received: [UInt64] = []
  private var statistics = Statistics()

  /// All reports of sent and received media.
  struct Statistics {
    var videoSent: [OTPublisherKitVideoNetworkStats] = []
    var audioSent: [OTPublisherKitAudioNetworkStats] = []
    var videoReceived: [OTSubscriberKitVideoNetworkStats] = []
    var audioReceived: [OTSubscriberKitAudioNetworkStats] = []
  }
  /// Whether a callback is on the queue that it is to be on.
  var isOnQueue: @Sendable () -> Bool
  /// The app's action in a callback.
  var onStream: (@Sendable (OTSession, OTStream) -> Void)?

  /// The main queue need not be served by the main thread: it is known by a mark of its own.
  private static let mainMark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  init() {
    let mark = Self.mainMark
    isOnQueue = { DispatchQueue.getSpecific(key: mark) == true }
  }

  var lines: [String] { lock.withLock { written } }
  var strays: [String] { lock.withLock { offQueue } }
  var level: Float { lock.withLock { loudest } }
  var streams: [OTStream] { lock.withLock { foundStreams } }
  var connections: [OTConnection] { lock.withLock { foundConnections } }
  /// The reported sizes of frames.
  var dimensions: [CGSize] { lock.withLock { sizes } }
  /// The reported counts of received video packets, one for each report.
  var packets: [UInt64] { lock.withLock { received } }
  var stats: Statistics { lock.withLock { statistics } }
  func forgetStats() { lock.withLock { statistics = Statistics() } }
  /// The reports of statistics, as JSON.
  var rtcStats: [String] { lock.withLock { reports } }
  func count(_ name: String) -> UInt64 { lock.withLock { counts[name] ?? 0 } }
  func saw(_ line: String) -> Bool { lines.contains(line) }
  func times(_ line: String) -> Int { lines.count { $0 == line } }
  /// Forgets how loud it was.
  func forgetLevel() { lock.withLock { loudest = 0 } }

  private func write(_ line: String) {
    let isStray = !isOnQueue()
    lock.withLock {
      written.append(line)
      if isStray { offQueue.append(line) }
    }
  }

  /// Notes where a callback came that comes often: it has no line.
  private func mark(_ name: String) {
    if !isOnQueue() { lock.withLock { offQueue.append(name) } }
    lock.withLock { marked[name, default: 0] += 1 }
  }
  /// How often a callback came that has no line.
  func marks(_ name: String) -> Int { lock.withLock { marked[name] ?? 0 } }

  private func count(_ name: String, _ value: UInt64) { lock.withLock { counts[name] = value } }

  // MARK: Session

  func sessionDidConnect(_ session: OTSession) {
    write("connected \(session.sessionConnectionStatus) \(session.connection != nil) \(session.streams.count)")
  }
  func sessionDidDisconnect(_ session: OTSession) { write("disconnected \(session.connection == nil)") }
  func session(_ session: OTSession, didFailWithError error: OTError) {
    write("failed \(error.domain) \(error.code)")
  }
  func session(_ session: OTSession, streamCreated stream: OTStream) {
    lock.withLock { foundStreams.append(stream) }
    write("streamCreated \(stream.name ?? "") \(session.streams[stream.streamId] === stream)")
    onStream?(session, stream)
  }
  func session(_ session: OTSession, streamDestroyed stream: OTStream) {
    write("streamDestroyed \(stream.name ?? "") \(session.streams[stream.streamId] == nil)")
  }
  func session(_ session: OTSession, didReceive stream: OTStream) {
    lock.withLock { foundStreams.append(stream) }
    write("didReceive \(stream.connection.connectionId == session.connection?.connectionId ? "own" : "other")")
    onStream?(session, stream)
  }
  func session(_ session: OTSession, didDrop stream: OTStream) { write("didDrop") }
  func session(_ session: OTSession, connectionCreated connection: OTConnection) {
    lock.withLock { foundConnections.append(connection) }
    write("connectionCreated")
  }
  func session(_ session: OTSession, connectionDestroyed connection: OTConnection) { write("connectionDestroyed") }
  func session(
    _ session: OTSession, receivedSignalType type: String?, from connection: OTConnection?, with string: String?
  ) {
    let own = connection?.connectionId == session.connection?.connectionId
    write("signal \(type ?? "nil") \(string ?? "nil") from \(connection == nil ? "server" : own ? "me" : "other")")
  }
  func session(_ session: OTSession, muteForced info: OTMuteForcedInfo) { write("muteForced \(info.active)") }

  func session(_ session: OTSession, archiveStartedWithId archiveId: String, name: String?) {
    write("archiveStarted \(name ?? "nil") \(archiveId)")
  }
  func session(_ session: OTSession, archiveStoppedWithId archiveId: String) { write("archiveStopped \(archiveId)") }

  func sessionDidBeginReconnecting(_ session: OTSession) {
    write("sessionDidBeginReconnecting \(session.sessionConnectionStatus)")
  }
  func sessionDidReconnect(_ session: OTSession) { write("sessionDidReconnect \(session.sessionConnectionStatus)") }

  // MARK: Publisher

  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {
    write("publisher failed \(error.domain) \(error.code)")
  }
  func publisher(_ publisher: OTPublisherKit, streamCreated stream: OTStream) {
    write("publisher streamCreated \(publisher.stream === stream)")
  }
  func publisher(_ publisher: OTPublisherKit, streamDestroyed stream: OTStream) {
    write("publisher streamDestroyed \(publisher.stream == nil)")
  }
  func publisherDidStartStreaming(_ publisher: OTPublisherKit) { write("publisherDidStartStreaming") }
  func publisherDidStopStreaming(_ publisher: OTPublisherKit) { write("publisherDidStopStreaming") }
  func muteForced(_ publisher: OTPublisherKit) { write("publisher muteForced \(publisher.publishAudio)") }
  func publisher(_ publisher: OTPublisherKit, audioLevelUpdated audioLevel: Float) {
    mark("publisher audioLevelUpdated")
  }
  func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats]) {
    mark("publisher videoNetworkStatsUpdated")
    lock.withLock { statistics.videoSent += stats }
    count("videoBytesSent", UInt64(clamping: stats.first?.videoBytesSent ?? 0))
    count("videoPacketsSent", UInt64(clamping: stats.first?.videoPacketsSent ?? 0))
  }
  func publisher(_ publisher: OTPublisherKit, audioNetworkStatsUpdated stats: [OTPublisherKitAudioNetworkStats]) {
    mark("publisher audioNetworkStatsUpdated")
    lock.withLock { statistics.audioSent += stats }
    count("audioBytesSent", UInt64(clamping: stats.first?.audioBytesSent ?? 0))
    count("audioPacketsSent", UInt64(clamping: stats.first?.audioPacketsSent ?? 0))
  }
  func publisher(_ publisher: OTPublisherKit, rtcStatsReport stats: [OTPublisherRtcStats]) {
    mark("publisher rtcStatsReport")
    lock.withLock { reports += stats.map(\.jsonArrayOfReports) }
  }
  func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    write("publisher videoDisabled \(reason)")
  }
  func publisherVideoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    write("publisher videoEnabled \(reason)")
  }

  func publisher(_ publisher: OTPublisher, didChangeCameraPosition position: AVCaptureDevice.Position) {
    write("publisher cameraPosition \(position)")
  }
  func publisherVideoDisableWarning(_ publisher: OTPublisherKit) { write("publisherVideoDisableWarning") }
  func publisherVideoDisableWarningLifted(_ publisher: OTPublisherKit) { write("publisherVideoDisableWarningLifted") }

  // MARK: Subscriber

  func subscriber(_ subscriber: OTSubscriberKit, caption text: String, isFinal: Bool) { write("caption \(text)") }

  func subscriberDidConnect(toStream subscriber: OTSubscriberKit) { write("subscriber connected") }
  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) {
    write("subscriber failed \(error.domain) \(error.code)")
  }
  func subscriberVideoDataReceived(_ subscriber: OTSubscriber) { write("subscriber videoDataReceived") }
  func subscriberVideoDisabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {
    write("subscriber videoDisabled \(reason)")
  }
  func subscriberVideoEnabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {
    write("subscriber videoEnabled \(reason)")
  }
  func subscriber(_ subscriber: OTSubscriberKit, audioLevelUpdated audioLevel: Float) {
    mark("subscriber audioLevelUpdated")
    lock.withLock { loudest = max(loudest, audioLevel) }
  }
  func subscriber(_ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats) {
    mark("subscriber videoNetworkStatsUpdated")
    count("videoBytesReceived", stats.videoBytesReceived)
    count("videoPacketsReceived", stats.videoPacketsReceived)
    lock.withLock {
      received.append(stats.videoPacketsReceived)
      statistics.videoReceived.append(stats)
    }
  }
  func subscriber(_ subscriber: OTSubscriberKit, audioNetworkStatsUpdated stats: OTSubscriberKitAudioNetworkStats) {
    mark("subscriber audioNetworkStatsUpdated")
    count("audioBytesReceived", stats.audioBytesReceived)
    count("audioPacketsReceived", stats.audioPacketsReceived)
    lock.withLock { statistics.audioReceived.append(stats) }
  }
  func subscriber(_ subscriber: OTSubscriberKit, rtcStatsReport jsonArrayOfReports: String) {
    mark("subscriber rtcStatsReport")
    lock.withLock { reports.append(jsonArrayOfReports) }
  }
  func subscriberVideoDisableWarning(_ subscriber: OTSubscriberKit) { write("subscriber videoDisableWarning") }
  func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriberKit) {
    write("subscriber videoDisableWarningLifted")
  }
  func subscriberDidDisconnect(fromStream subscriber: OTSubscriberKit) { write("subscriber didDisconnect") }
  func subscriberDidReconnect(toStream subscriber: OTSubscriberKit) { write("subscriber didReconnect") }
  func stream(_ stream: OTStream, didChangeVideoDimensions dimensions: CGSize) {
    mark("didChangeVideoDimensions")
    lock.withLock { sizes.append(dimensions) }
  }
}
