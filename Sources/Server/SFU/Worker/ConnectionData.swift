import Basics
import RTC

/// A participant's data channels on a worker.
struct ConnectionData {
  /// The open channel for each way of delivery.
  var channels: [DataDelivery: DataChannelID] = [:]
  var limit: DataRateLimit
  /// The time of the next warning to the participant that it sends too fast.
  var nextWarning = Instant.zero

  init(_ settings: DataChannelSettings, isSmall: Bool) { limit = DataRateLimit(settings, isSmall: isSmall) }

  /// The purpose of `id`; nil when it is not served.
  func delivery(of id: DataChannelID) -> DataDelivery? { channels.first { $0.value == id }?.key }
}
