/// The media workers of this process as a media plane.
public actor SFUMediaPlane: MediaPlane {
  private init() {}

  /// Starts the workers.
  public static func start(_ configuration: ServerConfiguration, log: Log) async throws(ServerError) -> SFUMediaPlane {
    SFUMediaPlane()
  }

  private static let missing = MediaPlaneError.unavailable("this build has no media workers")

  public func join(
    meeting: String, participant: String, offer: String, tracks: [MediaTrack]
  ) async throws(MediaPlaneError) -> MediaAnswer { throw Self.missing }

  public func offer(
    participant: String, offer: String, tracks: [MediaTrack]
  ) async throws(MediaPlaneError) -> MediaAnswer { throw Self.missing }

  public func setMuted(_ muted: Bool, publication: String, of participant: String) async {}
  public func assign(_ assignments: [SlotAssignment], of receiver: String) async -> [String] { [] }
  public func leave(participant: String) async {}
  public func events(of meeting: String) async -> AsyncStream<MediaEvent> { AsyncStream { $0.finish() } }
  public func close(meeting: String) async {}
  public func shutdown() async {}
  public func metrics() async -> String { "" }
}
