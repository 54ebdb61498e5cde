// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import Foundation
import OpenTok
import UIKit

/// A screen with as many people as there are, in the spelling of version 2, that uses the SDK's parts besides audio and
/// video.
class MultipartyViewController: UIViewController {
  var kApiKey = ""
  var kSessionId = ""
  var kToken = ""
  var log: [String] = []
  var observations: [NSKeyValueObservation] = []
  var subscribers: [IndexPath: OTSubscriber] = [:]
  var subscriberById: [String: OTSubscriberKit] = [:]
  lazy var session: OTSession = {
    let settings = OTSessionSettings()
    settings.connectionEventsSuppressed = false
    return OTSession(apiKey: kApiKey, sessionId: kSessionId, delegate: self, settings: settings)!
  }()
  lazy var publisher: OTPublisher = {
    let settings = OTPublisherSettings()
    settings.name = UIDevice.current.name
    settings.cameraResolution = .high
    settings.cameraFrameRate = .rate30FPS
    settings.audioTrack = true
    settings.videoTrack = true
    settings.audioBitrate = 40_000
    settings.enableOpusDtx = true
    settings.scalableScreenshare = true
    settings.subscriberAudioFallbackEnabled = true
    settings.publisherAudioFallbackEnabled = true
    return OTPublisher(delegate: self, settings: settings)!
  }()
  var error: OTError?
  var issue: NSString?
  let muteMicButton: UIButton! = UIButton(type: .system)
  var shouldPublish: Bool { return session.capabilities?.canPublish ?? false }
  let transformer = LogoTransformer()
  let quiet = QuietTransformer()

  override func viewDidLoad() {
    super.viewDidLoad()
    session.connect(withToken: kToken, error: &error)
    publisher.videoCapture = ScreenCapturer(withView: view)
    NotificationCenter.default.addObserver(
      self, selector: MultipartyViewController.pause, name: UIApplication.didEnterBackgroundNotification, object: nil)
    publisher.audioLevelDelegate = self
    publisher.networkStatsDelegate = self
    publisher.rtcStatsReportDelegate = self
    publisher.viewScaleBehavior = .fit
    publisher.videoType = .camera
    publisher.videoBitratePreset = .bwSaver
    guard let custom = OTVideoTransformer(name: "logo", transformer: transformer) else { return }
    publisher.videoTransformers = [custom]
    publisher.audioTransformers = [OTAudioTransformer(name: "quiet", transformer: quiet)!]
    if let blur = OTVideoTransformer(name: "BackgroundBlur", properties: "{\"radius\":\"High\"}") {
      publisher.videoTransformers.append(blur)
    }
  }

  func pause() { publisher.publishVideo = false }

  func swapCameraAction(_ sender: AnyObject) {
    if publisher.cameraPosition == .front {
      publisher.cameraPosition = .back
    } else {
      publisher.cameraPosition = .front
    }
  }

  func muteMicAction(_ sender: AnyObject) {
    publisher.publishAudio = !publisher.publishAudio
    muteMicButton.setTitle(publisher.publishAudio ? "Mute" : "Unmute", for: .normal)
  }

  func endCallAction(_ sender: AnyObject) { session.disconnect(&error) }

  func moderate(_ stream: OTStream) throws {
    session.forceMuteStream(stream, error: &error)
    session.forceMuteAll([publisher.stream!], error: &error)
    session.disableForceMute(&error)
    session.forceDisconnect(stream.connection, error: &error)
    session.setEncryptionSecret("secret12", error: &error)
    session.reportIssue(&issue)
    if let error = error { throw error }
  }

  func say(_ text: String, to connection: OTConnection?) {
    session.signal(withType: "chat", string: text, connection: connection, error: &error)
    session.signal(withType: "chat", string: text, connection: nil, retryAfterReconnect: false, error: nil)
    if let error = error { print("Signal error: \(error) \(error.code) \(error.domain) \(error.localizedDescription)") }
    switch OTSessionErrorCode(rawValue: Int32(error?.code ?? 0)) {
    case .sessionUnableToSendSignal?: break
    default: break
    }
  }

  func onlyByRelay(_ settings: OTSessionSettings) {
    let ice = OTSessionICEConfig()
    var iceError: OTError?
    ice.addICEServer(withURL: "turn:turn.example.com:3478", userName: "u", credential: "c", error: &iceError)
    ice.includeServers = .custom
    ice.transportPolicy = .relay
    settings.iceConfig = ice
    settings.proxyURL = "https://proxy.example.com"
  }

  func status() -> String {
    switch session.sessionConnectionStatus {
    case .connected: return "connected"
    case .connecting: return "connecting"
    case .reconnecting: return "reconnecting"
    case .disconnecting: return "disconnecting"
    case .notConnected: return "not connected"
    case .failed: return "failed"
    }
  }
}

extension MultipartyViewController: OTSessionDelegate {
  func sessionDidConnect(_ session: OTSession) {
    session.publish(publisher, error: &error)
    if let view = publisher.view {
      view.frame = CGRect(x: 0, y: 0, width: 160, height: 120)
      view.layer.cornerRadius = 8
      view.clipsToBounds = true
      self.view.insertSubview(view, at: 0)
    }
  }
  func sessionDidDisconnect(_ session: OTSession) {
    subscribers.removeAll()
    log.append("disconnected")
  }
  func session(_ session: OTSession, streamCreated stream: OTStream) {
    guard let subscriber = OTSubscriber(stream: stream, delegate: self) else { return }
    subscriber.audioLevelDelegate = self
    subscriber.networkStatsDelegate = self
    subscriber.rtcStatsReportDelegate = self
    subscriber.captionsDelegate = self
    subscriber.subscribeToCaptions = true
    subscriber.preferredResolution = CGSize(width: 320, height: 240)
    subscriber.preferredFrameRate = 15
    subscriber.audioVolume = 50
    session.subscribe(subscriber, error: &error)
    observations.append(
      stream.observe(\.hasVideo, options: [.initial, .new]) { [weak self] stream, change in
        self?.log.append("picture \(change.newValue!)")
      })
    subscribers[IndexPath(row: subscribers.count, section: 0)] = subscriber
    subscriberById[stream.streamId] = subscriber
    let kind = stream.videoType == .screen ? "screen" : "camera"
    print(
      stream.name ?? "", kind, stream.hasAudio, stream.hasCaptions, stream.videoDimensions.width, stream.creationTime,
      stream.connection.data ?? "", stream.session === session)
  }
  func session(_ session: OTSession, streamDestroyed stream: OTStream) {
    guard let (index, subscriber) = subscribers.first(where: { $0.value.stream?.streamId == stream.streamId }) else {
      return
    }
    log.append("dropped \(stream.name!)")
    subscriber.view?.removeFromSuperview()
    subscribers.removeValue(forKey: index)
  }
  func session(_ session: OTSession, didFailWithError error: OTError) {
    print("Session Failed to connect: \(error.localizedDescription)")
  }
  func session(_ session: OTSession, connectionCreated connection: OTConnection) {
    print(connection.connectionId, connection.creationTime)
  }
  func session(_ session: OTSession, connectionDestroyed connection: OTConnection) {}
  func session(
    _ session: OTSession, receivedSignalType type: String?, from connection: OTConnection?, with string: String?
  ) { log.append("signal \(type ?? "") \(string ?? "")") }
  func session(_ session: OTSession, archiveStartedWithId archiveId: String, name: String?) {}
  func session(_ session: OTSession, archiveStoppedWithId archiveId: String) {}
  func sessionDidBeginReconnecting(_ session: OTSession) {}
  func sessionDidReconnect(_ session: OTSession) {}
  func session(_ session: OTSession, muteForced info: OTMuteForcedInfo) { print(info.active) }
}

extension MultipartyViewController: OTPublisherDelegate, OTPublisherKitAudioLevelDelegate,
  OTPublisherKitNetworkStatsDelegate, OTPublisherKitRtcStatsReportDelegate
{
  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {}
  func publisher(_ publisher: OTPublisherKit, streamCreated stream: OTStream) { log.append("published") }
  func publisher(_ publisher: OTPublisherKit, streamDestroyed stream: OTStream) {}
  func publisher(_ publisher: OTPublisher, didChangeCameraPosition position: AVCaptureDevice.Position) {}
  func muteForced(_ publisher: OTPublisherKit) {}
  func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  func publisher(_ publisher: OTPublisherKit, audioLevelUpdated audioLevel: Float) {}
  func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats]) {
    for each in stats {
      print(each.videoPacketsLost, each.videoPacketsSent, each.videoBytesSent, each.timestamp, each.startTime)
      print(each.connectionId, each.subscriberId)
    }
  }
  func publisher(_ publisher: OTPublisherKit, audioNetworkStatsUpdated stats: [OTPublisherKitAudioNetworkStats]) {}
  func publisher(_ publisher: OTPublisherKit, rtcStatsReport stats: [OTPublisherRtcStats]) {
    print(stats.first?.jsonArrayOfReports ?? "")
  }
}

extension MultipartyViewController: OTSubscriberDelegate, OTSubscriberKitAudioLevelDelegate,
  OTSubscriberKitNetworkStatsDelegate, OTSubscriberKitRtcStatsReportDelegate, OTSubscriberKitCaptionsDelegate
{
  func subscriberDidConnect(toStream subscriberKit: OTSubscriberKit) {
    guard let subscriber = subscriberKit as? OTSubscriber, let view = subscriber.view else { return }
    self.view.addSubview(view)
    self.view.bringSubviewToFront(view)
  }
  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) {}
  func subscriberVideoDataReceived(_ subscriber: OTSubscriber) { log.append("data of \(subscriber.stream!.name!)") }
  func subscriberVideoDisabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {
    if reason == .qualityChanged { print("quality") }
  }
  func subscriberVideoEnabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {}
  func subscriberVideoDisableWarning(_ subscriber: OTSubscriberKit) {}
  func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriberKit) {}
  func subscriberDidDisconnect(fromStream subscriber: OTSubscriberKit) {}
  func subscriberDidReconnect(toStream subscriber: OTSubscriberKit) {}
  func subscriber(_ subscriber: OTSubscriberKit, audioLevelUpdated audioLevel: Float) {}
  func subscriber(_ subscriber: OTSubscriberKit, caption text: String, isFinal: Bool) {}
  func subscriber(_ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats) {
    print(stats.videoBytesReceived, stats.videoPacketsLost, stats.videoPacketsReceived, stats.timestamp)
  }
  func subscriber(_ subscriber: OTSubscriberKit, audioNetworkStatsUpdated stats: OTSubscriberKitAudioNetworkStats) {}
  func subscriber(_ subscriber: OTSubscriberKit, rtcStatsReport jsonArrayOfReports: String) {}
}

/// Draws into what is sent.
class LogoTransformer: NSObject, OTCustomVideoTransformer {
  func transform(_ videoFrame: OTVideoFrame) {
    let plane = videoFrame.getPlaneBinaryData(0)
    let stride = Int(videoFrame.getPlaneStride(0))
    let height = Int(videoFrame.format?.imageHeight ?? 0)
    for row in 0..<min(height, 10) { memset(plane.advanced(by: row * stride), 255, 10) }
  }
}

/// Halves how loud it is.
class QuietTransformer: NSObject, OTCustomAudioTransformer {
  func transform(_ audioData: OTAudioData) {
    let samples = UnsafeMutablePointer(mutating: audioData.sampleBuffer!)
    for i in 0..<Int(audioData.numberOfSamples * audioData.numberOfChannels) { samples[i] /= 2 }
  }
}

/// A screen capturer as samples write it.
class ScreenCapturer: NSObject, OTVideoCapture {
  var videoContentHint: OTVideoContentHint = .text
  weak var videoCaptureConsumer: OTVideoCaptureConsumer?
  fileprivate var capturing = false
  fileprivate let captureView: UIView
  fileprivate var timer: DispatchSourceTimer?
  fileprivate var pixelBuffer: CVPixelBuffer?

  init(withView: UIView) {
    captureView = withView
    super.init()
  }

  func initCapture() {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "SCREEN_CAPTURE"))
    timer.setEventHandler { [weak self] in self?.grab() }
    timer.schedule(deadline: DispatchTime.now(), repeating: DispatchTimeInterval.milliseconds(100))
    self.timer = timer
  }
  func grab() {
    if pixelBuffer == nil {
      CVPixelBufferCreate(kCFAllocatorDefault, 64, 48, kCVPixelFormatType_32ARGB, nil, &pixelBuffer)
    }
    guard let buffer = pixelBuffer else { return }
    CVPixelBufferLockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: 0))
    memset(CVPixelBufferGetBaseAddress(buffer)!, 200, CVPixelBufferGetBytesPerRow(buffer) * 48)
    CVPixelBufferUnlockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: 0))
    let time = CMTimeMake(value: Int64(Date().timeIntervalSince1970 * 1000), timescale: 1000)
    videoCaptureConsumer?.consumeImageBuffer(buffer, orientation: OTVideoOrientation.up, timestamp: time, metadata: nil)
  }
  func releaseCapture() { timer = nil }
  func start() -> Int32 {
    capturing = true
    timer?.resume()
    return 0
  }
  func stop() -> Int32 {
    capturing = false
    timer?.cancel()
    return 0
  }
  func isCaptureStarted() -> Bool { return capturing }
  func captureSettings(_ videoFormat: OTVideoFormat) -> Int32 {
    videoFormat.pixelFormat = .ARGB
    videoFormat.imageWidth = 64
    videoFormat.imageHeight = 48
    videoFormat.bytesPerRow.add(64 * 4)
    return 0
  }
}
