import Basics
import Foundation
import MeetingServer
import Meetings
import Messaging
import Parley
import TestSupport
import TestTenants
import Testing
import Transport

@testable import BBMEnterprise
@testable import MessagingClient

/// A server with real media on loopback and a domain, and the endpoints that call each other over it.
@MainActor final class CallServer {
  private var server: Server
  private var configuration: ServerConfiguration
  private let domain: DomainID
  private let folder: String
  private var phones: [Phone] = []
  /// The keys of each user, for further endpoints.
  private var keys: [String: ProfileKeys] = [:]

  private init(_ server: Server, _ configuration: ServerConfiguration, _ domain: DomainID, _ folder: String) {
    self.server = server
    self.configuration = configuration
    self.domain = domain
    self.folder = folder
  }

  /// Runs `body` with a fresh server and shuts it down.
  static func run(_ body: @MainActor (CallServer) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "parley-bbm-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder + "/web", withIntermediateDirectories: true)
    for page in ["index.html", "meeting.html"] {
      try "page".write(toFile: folder + "/web/" + page, atomically: true, encoding: .utf8)
    }
    var configuration = ServerConfiguration(workers: 1)
    configuration.port = 0
    configuration.host = IPAddress(v4: 0x7F00_0001)
    configuration.mediaHosts = [configuration.host]
    configuration.adminPort = nil
    configuration.dataFolder = folder + "/data"
    configuration.webFolder = folder + "/web"
    configuration.logLevel = .error
    try await TestTenants.makeDefault(in: configuration.dataFolder)
    let server = try await start(configuration)
    // A restarted server is found at the same address.
    configuration.port = server.port
    let data = try await DataFolder.open(folder + "/data")
    let entry = AuditEntry(time: Date(), actor: "test", tenant: "app", action: "domain.create", target: "app")
    let settings = MessagingDomain.Settings(
      environment: .sandbox, authentication: .disabled, hasKeyManagement: false)
    let domain = try await data.createDomain("app", settings, entry)
    await data.close()
    let calls = CallServer(server, configuration, domain.id, folder)
    var failure: (any Error)?
    do { try await body(calls) } catch { failure = error }
    await calls.close()
    if let failure { throw failure }
  }

  private static func start(_ configuration: ServerConfiguration) async throws -> Server {
    let log = Log(level: .error) { _ in }
    let media = try await SFUMediaPlane.start(configuration, log: log)
    return try await Server.start(configuration, media: media, program: "", log: log)
  }

  private func close() async {
    for phone in phones { phone.service.stop() }
    await server.shutdown(grace: .milliseconds(300))
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Whether a file of the server's has these bytes.
  func stores(_ bytes: Data) throws -> Bool {
    let data = URL(fileURLWithPath: folder + "/data")
    let files =
      FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    // Not the socket of the server's control interface.
    return try files.contains { file in
      try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        && Data(contentsOf: file).range(of: bytes) != nil
    }
  }

  /// The server goes away and comes back at the same address, with the same data.
  func restart(whileAway body: () async throws -> Void = {}) async throws {
    await server.shutdown(grace: .milliseconds(300))
    try await body()
    server = try await Self.start(configuration)
  }

  /// An endpoint of a user that is set up. The first one makes the user's keys.
  func phone(_ user: String, tone: Double = 550, camera: Int = 1) async throws -> Phone {
    let phone = Phone(tone: tone, camera: camera)
    phones.append(phone)
    let (oldFolder, service) = (ParleyServer.dataFolder, phone.service)
    ParleyServer.url = "http://127.0.0.1:\(server.port)"
    ParleyServer.dataFolder = URL(fileURLWithPath: "\(folder)/endpoint-\(phones.count)")
    service.start(domain.text, environment: kBBMConfig_Sandbox, completionBlock: nil)
    ParleyServer.dataFolder = oldFolder
    service.sendAuthToken(BBMTestToken(userId: user).token, forUserName: user) { _, _, _ in }
    let model: BBMDSGeneratedModel = service.model()
    try await wait(for: "the setup to ask for keys") { model.globalProfileKeysState == kBBMKeyStateNotSynced }
    try await wait(for: "the number of the user") { (model.localUser?.regId?.uint64Value ?? 0) != 0 }
    let messenger = try #require(service.signaling as? Messenger)
    if let known = keys[user] {
      try await messenger.importProfileKeys(known)
    } else {
      keys[user] = try await messenger.exportProfileKeys()
      await messenger.profileKeysSynced()
    }
    try await wait(for: "the end of the setup") { model.globalSetupStateState == kBBMSetupStateSuccess }
    return phone
  }
}

/// An endpoint, with generators in place of devices. It writes down what it is notified of.
@MainActor final class Phone: BBMMediaDelegate, BBMMediaVideoPresenter {
  let service = BBMEnterpriseService()
  let ear = Ear()
  let incomingPlace = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 240))
  let outgoingPlace = UIView(frame: CGRect(x: 0, y: 0, width: 80, height: 60))
  private(set) var heard: [String] = []
  /// The calls that have ended.
  private(set) var ended: [BBMCall] = []
  private(set) var incomingView: CallVideoView?
  /// Views of the other side's video that there were.
  private(set) var incomingViews = 0
  private(set) var sizes: [CGSize] = []
  /// The connection that was offered or accepted last.
  private(set) var connection: BBMDataConnection?
  var acceptsCalls = true
  var whenAccepted: (BBMDataConnection) -> Void = { _ in }

  var media: BBMMediaManager { service.mediaManager() }
  var regId: NSNumber { service.model()?.localUser?.regId ?? 0 }

  init(tone: Double, camera: Int) {
    media.devices.microphone = { ToneSource(frequency: tone) }
    media.devices.openSpeaker = { [ear] in ear as any AudioSink }
    media.devices.cameras = {
      (0..<2).map { index in
        CallCamera(name: "\(index)") { TestPictureSource(.bars, sourceID: UInt8(camera + index)) }
      }
    }
    media.start(withLogPath: nil)
    media.add(self as any BBMMediaDelegate)
    media.add(self as any BBMMediaVideoPresenter)
  }

  /// The number in the test picture that is shown.
  var picture: Int? {
    incomingView?.currentFrame.flatMap { TestPictureMarker.decode($0) }.map { Int($0.sourceID) }
  }

  /// Whether the other side's microphone is muted; nil while it does not come.
  var hearsMuted: Bool? {
    media.active?.session?.meeting.participants.first?.publication(.microphone)?.isMuted
  }

  /// Calls, and waits for the server's answer.
  func call(_ other: Phone, _ mode: MediaMode) async -> BBMMediaError {
    await withCheckedContinuation { answer in
      media.callRegId(other.regId, mediaMode: mode) { answer.resume(returning: $0) }
    }
  }

  /// Offers a data connection.
  func connect(_ other: Phone, _ metaData: String) async -> BBMDataConnection? {
    await withCheckedContinuation { answer in
      media.startDataConnection(other.regId, metaData: metaData) { connection, _ in
        answer.resume(returning: connection)
      }
    }
  }

  func clear() { heard = [] }

  func incomingCallDidArrive(_ call: BBMCall!) {
    heard.append("arrived")
    if acceptsCalls { media.acceptCall() }
  }
  func outgoingCallInitiated(_ call: BBMCall!) { heard.append("initiated") }
  func outgoingCallRinging(_ call: BBMCall!) { heard.append("ringing") }
  func callConnected(_ call: BBMCall!) { heard.append("connected") }
  func callEnded(_ call: BBMCall!) {
    heard.append("ended")
    ended.append(call)
  }
  func callDidFail(_ call: BBMCall!) { heard.append("failed") }
  func cameraOperationSuccess(_ operation: CameraOperation, call: BBMCall!) {
    heard.append("camera \(operation.rawValue)")
  }
  func cameraOperationFailed(_ operation: CameraOperation, call: BBMCall!) {
    heard.append("no camera \(operation.rawValue)")
  }
  func incomingDataConnectionOffered(_ connection: BBMDataConnection!) {
    heard.append("offered")
    self.connection = connection
    media.dataConnectionSetupComplete(connection)
  }
  func incomingDataConnectionAvailable(_ connection: BBMDataConnection!) { heard.append("available") }
  func dataConnectionAccepted(_ connection: BBMDataConnection!) {
    heard.append("accepted")
    self.connection = connection
    whenAccepted(connection)
  }
  func dataConnectionEnded(_ connection: BBMDataConnection!) { heard.append("data ended") }
  func dataConnectionFailed(_ connection: BBMDataConnection!) { heard.append("data failed") }

  func incomingVideoContainer() -> UIView! { incomingPlace }
  func outgoingVideoContainer() -> UIView! { outgoingPlace }
  func videoPresenterPriority() -> Int { 100 }
  func incomingVideoReady(_ view: (any UIView & BBMVideoView)!) {
    incomingView = view as? CallVideoView
    incomingViews += 1
  }
  func outgoingVideoReady(_ view: (any UIView & BBMVideoView)!) { heard.append("own video") }
  func incomingVideoDisabled() { incomingView = nil }
  func outgoingVideoDisabled() { heard.append("no own video") }
  func videoView(_ view: (any UIView & BBMVideoView)!, didChangeVideoSize size: CGSize) {
    sizes.append(view.videoSize)
  }
}
