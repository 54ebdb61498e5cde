import Basics
import RTC

/// A participant's data channels on a worker.
struct ConnectionData {
  /// The open channel for each way of delivery.
  var channels: [DataDelivery: DataChannelID] = [:]
  var limit: DataRateLimit
  /// When the participant may next be told that it sends too fast.
  var nextWarning = Instant.zero

  init(_ settings: DataChannelSettings) { limit = DataRateLimit(settings) }

  /// What `id` is for; nil when it is not served.
  func delivery(of id: DataChannelID) -> DataDelivery? { channels.first { $0.value == id }?.key }
}
