import SFU

/// The media workers' counters in the Prometheus text format, one series a worker.
enum MediaMetrics {
  static func text(_ workers: [MediaWorkerStatistics]) -> String {
    var text = ""
    func add(_ name: String, _ type: String, _ help: String, _ value: (MediaWorkerStatistics) -> String) {
      text += "# HELP parley_media_\(name) \(help)\n# TYPE parley_media_\(name) \(type)\n"
      for (index, worker) in workers.enumerated() {
        text += "parley_media_\(name){worker=\"\(index)\"} \(value(worker))\n"
      }
    }
    add("datagrams_received_total", "counter", "Datagrams received.") { "\($0.datagramsReceived)" }
    add("datagrams_sent_total", "counter", "Datagrams sent.") { "\($0.datagramsSent)" }
    add("send_calls_total", "counter", "System calls that sent them.") { "\($0.sendCalls)" }
    add("send_drops_total", "counter", "Datagrams dropped because a socket's buffer was full.") { "\($0.sendDrops)" }
    add("unknown_address_total", "counter", "Datagrams from addresses that no check has proven.") {
      "\($0.unknownAddress)"
    }
    add("unknown_fragment_total", "counter", "Checks for a user fragment that nobody has.") { "\($0.unknownFragment)" }
    add("meetings", "gauge", "Meetings now.") { "\($0.meetings)" }
    add("participants", "gauge", "Connections now.") { "\($0.participants)" }
    add("utilization", "gauge", "Share of the last moments that the worker was busy.") { "\($0.utilization)" }
    add("data_messages_received_total", "counter", "Data messages received.") { "\($0.data.messagesReceived)" }
    add("data_bytes_received_total", "counter", "Bytes of them.") { "\($0.data.bytesReceived)" }
    add("data_messages_sent_total", "counter", "Data messages sent, one for each receiver.") {
      "\($0.data.messagesSent)"
    }
    add("data_bytes_sent_total", "counter", "Bytes of them.") { "\($0.data.bytesSent)" }
    add("data_channels_closed_total", "counter", "Reliable data channels closed because of a slow reader.") {
      "\($0.data.channelsClosed)"
    }
    text += "# HELP parley_media_data_dropped_total Data messages dropped, by reason.\n"
    text += "# TYPE parley_media_data_dropped_total counter\n"
    for (index, worker) in workers.enumerated() {
      for reason in DataDrop.allCases {
        text += "parley_media_data_dropped_total{worker=\"\(index)\",reason=\"\(reason)\"} \(worker.data[reason])\n"
      }
    }
    text += "# HELP parley_media_dropped_total Datagrams that a connection dropped, by reason.\n"
    text += "# TYPE parley_media_dropped_total counter\n"
    for (index, worker) in workers.enumerated() {
      for (reason, count) in worker.connectionDrops.sorted(by: { "\($0.key)" < "\($1.key)" }) {
        text += "parley_media_dropped_total{worker=\"\(index)\",reason=\"\(reason)\"} \(count)\n"
      }
    }
    return text
  }
}
