public import Basics
import Glibc
import RTC
public import SFU
public import Signaling
import Transport

/// The media plane of a real server: `SFU`'s workers, one a core.
///
/// It only translates: the room's text identifiers to the workers', and the workers' reports to the room's events.
public actor SFUMediaPlane: MediaPlane {
  private let pool: MediaWorkerPool
  private var forwarding: [String: Task<Void, Never>] = [:]
  /// The UDP and TCP ports of the workers.
  public nonisolated let ports: [UInt16]

  private init(pool: MediaWorkerPool, ports: [UInt16]) {
    self.pool = pool
    self.ports = ports
  }

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

  /// Says which addresses clients are told, at the start and whenever they change.
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

  /// Opens a participant's connection on the worker of its meeting.
  public func join(
    meeting: String, participant: String, offer: String, tracks: [MediaTrack], reached: IPAddress?
  ) async throws(MediaPlaneError) -> MediaAnswer {
    do throws(MediaWorkerError) {
      return MediaAnswer(
        try await pool.join(
          ParticipantID(rawValue: participant), meeting: MeetingID(rawValue: meeting), offer: offer,
          tracks: tracks.map(TrackOffer.init), reached: reached))
    } catch { throw MediaPlaneError(error) }
  }

  /// Negotiates anew.
  public func offer(
    participant: String, offer: String, tracks: [MediaTrack]
  ) async throws(MediaPlaneError) -> MediaAnswer {
    do throws(MediaWorkerError) {
      return MediaAnswer(
        try await pool.offer(ParticipantID(rawValue: participant), offer: offer, tracks: tracks.map(TrackOffer.init)))
    } catch { throw MediaPlaneError(error) }
  }

  /// Mutes or unmutes a publication.
  public func setMuted(_ muted: Bool, publication: String, of participant: String) async {
    await pool.setMuted(
      muted, publication: PublicationID(rawValue: publication), of: ParticipantID(rawValue: participant))
  }

  /// Changes what slots carry.
  public func assign(_ assignments: [SlotAssignment], of receiver: String) async -> [String] {
    let changes = assignments.map {
      SlotChange(
        mid: MID(rawValue: $0.mid), publication: $0.publication.map { PublicationID(rawValue: $0) },
        followsLoudest: $0.followsLoudest)
    }
    return await pool.assign(changes, of: ParticipantID(rawValue: receiver)).map(\.rawValue)
  }

  /// Tells at what sizes slots are shown.
  public func setViews(_ views: [SlotView], of receiver: String) async {
    let sizes = views.map {
      SlotSize(
        mid: MID(rawValue: $0.mid), width: $0.width, height: $0.height, isPinned: $0.pinned ?? false,
        maximumFrameRate: $0.maxFrameRate ?? 0)
    }
    await pool.setViews(sizes, of: ParticipantID(rawValue: receiver))
  }

  /// Closes a participant's connection.
  public func leave(participant: String) async { await pool.leave(ParticipantID(rawValue: participant)) }

  /// What happens in a meeting from now on, in the rooms' terms.
  public func events(of meeting: String) async -> AsyncStream<MediaEvent> {
    let source = await pool.events(of: MeetingID(rawValue: meeting))
    let (stream, continuation) = AsyncStream.makeStream(of: MediaEvent.self, bufferingPolicy: .bufferingNewest(1_024))
    forwarding[meeting]?.cancel()
    forwarding[meeting] = Task {
      for await event in source {
        if let event = MediaEvent(event) { continuation.yield(event) }
      }
      continuation.finish()
    }
    return stream
  }

  /// The data messages of a meeting from now on.
  public func dataEvents(of meeting: String) async -> AsyncStream<MeetingDataEvent> {
    await pool.dataEvents(of: MeetingID(rawValue: meeting))
  }

  /// Queues a data message for each of `participants`. It does not run on this actor: data of different meetings does not meet here.
  public nonisolated func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [String]) async {
    await pool.sendData(message, delivery, to: participants.map { ParticipantID(rawValue: $0) })
  }

  /// Ends a meeting on its worker.
  public func close(meeting: String) async {
    await pool.close(meeting: MeetingID(rawValue: meeting))
    forwarding.removeValue(forKey: meeting)?.cancel()
  }

  /// Tells clients the addresses of other settings from now on.
  public func reload(_ configuration: ServerConfiguration) async { await pool.use(configuration.mediaAddresses) }

  /// Closes everything and ends the workers' threads.
  public func shutdown() async {
    await pool.shutdown()
    for task in forwarding.values { task.cancel() }
    forwarding.removeAll()
  }

  /// The workers' counters.
  public func metrics() async -> String { MediaMetrics.text(await pool.statistics()) }
}

// MARK: - Translations

extension DataChannelSettings {
  /// What `docs/protocol.md` says, in the workers' terms.
  init(maximumBuffer: Int) {
    let most = { (reliability: DataReliability) in 3 + DataLimits.header + reliability.payloadLimit }
    self.init(
      labels: [.reliable: DataReliability.reliable.label, .lossy: DataReliability.lossy.label],
      maximumMessage: [.reliable: most(.reliable), .lossy: most(.lossy)],
      messagesPerSecond: DataLimits.messagesPerSecond, messageBurst: DataLimits.messageBurst,
      bytesPerSecond: DataLimits.bytesPerSecond, byteBurst: DataLimits.byteBurst, maximumBuffer: maximumBuffer)
  }
}

extension MediaPlaneError {
  fileprivate init(_ error: MediaWorkerError) {
    switch error {
    case .badOffer(let reason): self = .badOffer(reason)
    case .unknownParticipant: self = .unknownParticipant
    case .duplicateParticipant, .unavailable: self = .unavailable(error.description)
    }
  }
}

extension MediaAnswer {
  fileprivate init(_ answer: OfferAnswer) {
    self.init(
      sdp: answer.sdp,
      accepted: Dictionary(uniqueKeysWithValues: answer.accepted.map { ($0.key.rawValue, $0.value) }),
      slots: answer.slots.map { MediaSlot(mid: $0.mid.rawValue, kind: TrackKind($0.kind), codecs: $0.codecs) },
      rejected: Dictionary(uniqueKeysWithValues: answer.rejected.map { ($0.key.rawValue, $0.value.reason) }),
      rejectedSlots: Set(answer.rejected.values.filter { $0.role == .send }.map { TrackKind($0.kind) }))
  }
}

extension TrackKind {
  fileprivate init(_ kind: MediaKind) { self = kind == .audio ? .audio : .video }
}

extension TrackOffer {
  fileprivate init(_ track: MediaTrack) {
    self.init(
      mid: MID(rawValue: track.mid), publication: PublicationID(rawValue: track.publication), isMuted: track.muted,
      isScreenShare: track.source == .screen, kind: track.source.kind == .audio ? .audio : .video)
  }
}

extension MediaEvent {
  /// Nil for what the room has no use for.
  fileprivate init?(_ event: MeetingEvent) {
    switch event {
    case .connected(let id): self = .connected(participant: id.rawValue)
    case .lost(let id): self = .lost(participant: id.rawValue)
    case .publicationStarted: return nil
    case .codecChanged(let id, let codec): self = .codec(publication: id.rawValue, codec)
    case .paused(let id, let paused):
      self = .paused(receiver: id.rawValue, publications: paused.map(\.publication.rawValue))
    case .layersWanted(let id, let wanted):
      var demand = MediaDemand(
        isActive: wanted.spatial != nil, rids: wanted.streams.isEmpty ? nil : wanted.streams.map(\.rawValue),
        width: Int(wanted.width), height: Int(wanted.height))
      if let spatial = wanted.spatial, wanted.layerCount > 0 {
        demand.spatialLayers = Int(spatial) + 1
        demand.spatialLayerCount = Int(wanted.layerCount)
      }
      if wanted.frameRate > 0 { demand.maxFrameRate = Int(wanted.frameRate) }
      self = .demand(publication: id.rawValue, demand)
    case .speakers(let speakers):
      self = .speakers(speakers.map { SpeakerLevel(participant: $0.participant.rawValue, level: $0.level) })
    case .quality(let id, let quality): self = .quality([id.rawValue: Signaling.ConnectionQuality(quality)])
    case .slots(let updates):
      self = .slots(
        updates.map {
          CarriedVoice(
            participant: $0.participant.rawValue, mid: $0.mid.rawValue, publication: $0.publication?.rawValue)
        })
    }
  }
}

extension Signaling.ConnectionQuality {
  fileprivate init(_ quality: SFU.ConnectionQuality) {
    self =
      switch quality {
      case .excellent: .excellent
      case .good: .good
      case .poor: .poor
      case .lost: .lost
      }
  }
}
