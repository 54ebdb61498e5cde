public import Basics
import Glibc
import RTC
public import SFU
import Signaling
import Transport

/// The media plane of a real server: `SFU`'s workers, one a core, set up by the server's configuration.
public struct SFUMediaPlane: MediaPlane {
  private let pool: MediaWorkerPool
  /// The UDP and TCP ports of the workers.
  public let ports: [UInt16]

  /// Opens the workers' sockets. Without a port in `configuration` it is 10000, or free ports when that is taken.
  public static func start(_ configuration: ServerConfiguration, log: Log) async throws(ServerError) -> SFUMediaPlane {
    let dtls: DTLSContext
    do throws(DTLSSetupError) {
      dtls = try DTLSContext(certificate: .selfSigned(unixTime: Int64(time(nil))))
    } catch {
      throw .media("The certificate for media cannot be made: \(error)")
    }
    var worker = MediaWorkerConfiguration(dtls: dtls, port: configuration.mediaPort ?? 10_000)
    worker.data = DataChannelSettings(maximumBuffer: configuration.dataBuffer)
    worker.audioLoudest = configuration.audioLoudest
    worker.maximumHold = configuration.packetHold
    return try await start(worker, configuration, log: log)
  }

  private static func start(
    _ worker: MediaWorkerConfiguration, _ configuration: ServerConfiguration, log: Log
  ) async throws(ServerError) -> SFUMediaPlane {
    var worker = worker
    do throws(TransportError) {
      worker.addresses = configuration.mediaAddresses
      worker.onAddresses = { report in Self.log(report, log) }
      do throws(TransportError) {
        return try await open(worker, count: configuration.workers, log: log)
      } catch  where configuration.mediaPort == nil {
        log.warning("mediaPortTaken", ["error": "\(error)", "using": "free ports", "setting": "--media-port"])
        worker.port = 0
        return try await open(worker, count: configuration.workers, log: log)
      }
    } catch {
      throw .transport(error, option: "--media-port, --media-host")
    }
  }

  /// Logs the addresses that clients get, at the start and whenever they change.
  private static func log(_ report: MediaAddressReport, _ log: Log) {
    let text = { (addresses: [IPAddress]) in addresses.map(\.text).joined(separator: ",") }
    guard !report.told.isEmpty else {
      return log.error(
        "media.noAddress",
        [
          "reason": "no address is left that clients may be told",
          "setting": "--public-address or --private-addresses yes",
        ])
    }
    log.info("media.addresses", ["told": text(report.told)])
    if !report.leftOut.isEmpty {
      log.warning(
        "media.addressesLeftOut",
        ["addresses": text(report.leftOut), "most": report.told.count, "setting": "--media-host"])
    }
  }

  private static func open(
    _ configuration: MediaWorkerConfiguration, count: Int, log: Log
  ) async throws(TransportError) -> SFUMediaPlane {
    let pool = try MediaWorkerPool(count: count, configuration: configuration)
    try await pool.start()
    let ports = await pool.ports
    log.info("media.listening", ["ports": ports.map(String.init).joined(separator: ",")])
    return SFUMediaPlane(pool: pool, ports: ports)
  }

  // MARK: MediaPlane

  public func join(
    _ participant: ParticipantID, meeting: MeetingID, offer: String, tracks: [TrackOffer], reached: IPAddress?,
    isEncrypted: Bool, isSmall: Bool
  ) async throws(MediaWorkerError) -> OfferAnswer {
    try await pool.join(
      participant, meeting: meeting, offer: offer, tracks: tracks, reached: reached, isEncrypted: isEncrypted,
      isSmall: isSmall)
  }

  public func offer(
    _ participant: ParticipantID, offer: String, tracks: [TrackOffer]
  ) async throws(MediaWorkerError) -> OfferAnswer {
    try await pool.offer(participant, offer: offer, tracks: tracks)
  }

  public func setMuted(_ muted: Bool, publication: PublicationID, of participant: ParticipantID) async {
    await pool.setMuted(muted, publication: publication, of: participant)
  }

  public func assign(_ changes: [SlotChange], of receiver: ParticipantID) async -> [MID] {
    await pool.assign(changes, of: receiver)
  }

  public func setViews(_ views: [SlotSize], of receiver: ParticipantID) async {
    await pool.setViews(views, of: receiver)
  }

  public func leave(_ participant: ParticipantID) async { await pool.leave(participant) }

  public func events(of meeting: MeetingID) async -> MediaEvents { await pool.events(of: meeting) }

  public func dataEvents(of meeting: MeetingID) async -> AsyncStream<MeetingDataEvent> {
    await pool.dataEvents(of: meeting)
  }

  public func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [ParticipantID]) async {
    await pool.sendData(message, delivery, to: participants)
  }

  public func close(meeting: MeetingID) async { await pool.close(meeting: meeting) }

  /// Gives clients the addresses of other settings from now on.
  public func reload(_ configuration: ServerConfiguration) async { await pool.use(configuration.mediaAddresses) }

  public func shutdown() async { await pool.shutdown() }

  public func metrics() async -> String { MediaMetrics.text(await pool.statistics()) }
}

extension DataChannelSettings {
  /// The limits of `docs/protocol.md`, in the workers' terms.
  init(maximumBuffer: Int) {
    let most = { (reliability: DataReliability) in 3 + DataLimits.header + reliability.payloadLimit }
    self.init(
      labels: [.reliable: DataReliability.reliable.label, .lossy: DataReliability.lossy.label],
      maximumMessage: [.reliable: most(.reliable), .lossy: most(.lossy)],
      messagesPerSecond: DataLimits.messagesPerSecond, messageBurst: DataLimits.messageBurst,
      bytesPerSecond: DataLimits.bytesPerSecond, byteBurst: DataLimits.byteBurst,
      smallMeetingFactor: DataLimits.smallMeetingFactor, maximumBuffer: maximumBuffer)
  }
}
