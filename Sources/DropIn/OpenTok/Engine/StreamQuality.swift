/// The qualities of a stream a second ago, for the delegates that are notified when they change.
struct StreamQuality {
  /// The changes of a second.
  struct Change<Reason: Sendable>: Sendable {
    /// Why the video is another one; nil when it isn't.
    var reason: Reason?
    /// Whether the connection is better or worse.
    var hasOtherCondition: Bool
  }

  private var limit = OTPublisherVideoEventReason.none
  private var codec: String?
  private var sizes: [[Int32]] = []
  private var pauseCount: Int64?
  private var condition = OTNetworkCondition.unknown

  /// Applies what is sent now. Of several reasons the first in the reference's order is given: what holds the video
  /// back, the codec, the sizes.
  mutating func update(_ stats: OTPublisherKitVideoNetworkStats) -> Change<OTPublisherVideoEventReason> {
    let reasons = Set(stats.videoLayers.map(\.qualityLimitationReason))
    let limits: [OTPublisherVideoEventReason] = [
      .qualityDegradationBandwidth, .qualityDegradationCPU, .qualityDegradationOther,
    ]
    let newLimit = limits.first(where: reasons.contains) ?? OTPublisherVideoEventReason.none
    let isHeldBack = newLimit != limit && newLimit != OTPublisherVideoEventReason.none
    limit = newLimit
    let hasOtherCodec = setCodec(stats.videoLayers.lazy.compactMap(\.codec).first)
    let hasOtherSizes = setSizes(stats.videoLayers.map { [$0.width, $0.height] }.filter { $0[0] > 0 })
    return Change(
      reason: isHeldBack ? newLimit : hasOtherCodec ? .codecChange : hasOtherSizes ? .resolutionChange : nil,
      hasOtherCondition: setCondition(stats.transport))
  }

  /// Applies what is received now.
  mutating func update(
    _ stats: OTSubscriberKitVideoNetworkStats, _ transport: OTTransportStats
  ) -> Change<OTSubscriberVideoEventReason> {
    let wasInterrupted = stats.pauseCount > pauseCount ?? stats.pauseCount
    pauseCount = stats.pauseCount
    let hasOtherCodec = setCodec(stats.codec)
    let hasOtherSize = setSizes(stats.width > 0 ? [[stats.width, stats.height]] : [])
    return Change(
      reason: wasInterrupted
        ? .videoInterruption : hasOtherCodec ? .codecChange : hasOtherSize ? .resolutionChange : nil,
      hasOtherCondition: setCondition(transport))
  }

  // The first known value isn't a change, and a second without one keeps the last.

  private mutating func setCodec(_ new: String?) -> Bool {
    guard let new else { return false }
    defer { codec = new }
    return codec != nil && codec != new
  }

  private mutating func setSizes(_ new: [[Int32]]) -> Bool {
    guard !new.isEmpty else { return false }
    defer { sizes = new }
    return !sizes.isEmpty && sizes != new
  }

  private mutating func setCondition(_ transport: OTTransportStats?) -> Bool {
    guard let new = transport?.networkCondition, new != .unknown else { return false }
    defer { condition = new }
    return condition != .unknown && condition != new
  }
}
