import RTC
import SFU

/// The media workers' figures in the Prometheus text format, one series a worker.
struct MediaMetrics {
  private let workers: [MediaWorkerStatistics]
  private var text = ""

  static func text(_ workers: [MediaWorkerStatistics]) -> String {
    var metrics = MediaMetrics(workers: workers)
    metrics.addSockets()
    metrics.addRouting()
    metrics.addBandwidth()
    metrics.addRelays()
    metrics.addData()
    return metrics.text
  }

  private init(workers: [MediaWorkerStatistics]) { self.workers = workers }

  // MARK: Figures

  private mutating func addSockets() {
    gauge("meetings", "Meetings now.") { $0.meetings }
    gauge("participants", "Connections now.") { $0.participants }
    gauge("utilization", "Share of the last moments that the worker was busy.") { $0.utilization }
    counter("datagrams_received", "Datagrams received.") { $0.datagramsReceived }
    counter("datagrams_sent", "Datagrams sent.") { $0.datagramsSent }
    counter("send_calls", "System calls that sent them.") { $0.sendCalls }
    counter("send_drops", "Datagrams dropped because a socket's buffer was full.") { $0.sendDrops }
    counter("unknown_address", "Datagrams from addresses that no check has proven.") { $0.unknownAddress }
    counter("unknown_fragment", "Checks for a user fragment that nobody has.") { $0.unknownFragment }
    counter("candidates_ignored", "Candidates of clients beyond the limit of a description, or that cannot be read.") {
      $0.candidatesIgnored
    }
    reasons("dropped", "Datagrams that a connection dropped, by reason.", DropReason.allCases) {
      $0.connectionDrops[$1, default: 0]
    }
  }

  private mutating func addRouting() {
    counter("packets_received", "RTP packets from publishers, retransmissions and padding included.") {
      $0.routing.packetsReceived
    }
    counter("bytes_received", "Bytes of them.") { $0.routing.bytesReceived }
    counter("packets_forwarded", "RTP packets for receivers, retransmissions included.") { $0.routing.packetsForwarded }
    counter("bytes_forwarded", "Bytes of them.") { $0.routing.bytesForwarded }
    counter("retransmissions", "Packets sent again because a receiver asked.") { $0.routing.retransmissions }
    counter("retransmissions_refused", "Packets asked for again over the budget or too soon.") {
      $0.routing.retransmissionsRefused
    }
    counter("retransmissions_missing", "Packets asked for again that are not kept any more.") {
      $0.routing.retransmissionsMissing
    }
    counter("redundant_packets", "Audio packets that carry earlier sound once more.") { $0.routing.redundantPackets }
    counter("keyframe_requests", "Keyframe requests sent to publishers.") { $0.routing.keyframeRequests }
    counter("malformed_reports", "RTCP datagrams that ended in a malformed packet.") { $0.routing.malformedReports }
    counter("protect_failures", "Packets that encryption refused.") { $0.routing.protectFailures }
    reasons("packets_dropped", "RTP packets that were not forwarded, by reason.", RoutingDrop.allCases) {
      $0.routing[$1]
    }
  }

  private mutating func addBandwidth() {
    gauge("receivers_estimated", "Receivers whose path's bandwidth is known.") { $0.bandwidth.estimated }
    gauge("receivers_limited", "Receivers that get less video than they want because their path takes no more.") {
      $0.bandwidth.limited
    }
    gauge("slots_paused", "Pictures that are paused for lack of bandwidth.") { $0.bandwidth.paused }
    gauge("estimate_bits_per_second", "What the paths to receivers take together.") {
      $0.bandwidth.estimate.bitsPerSecond
    }
    gauge("video_wanted_bits_per_second", "What all video that receivers want would take at its best.") {
      $0.bandwidth.wanted.bitsPerSecond
    }
    gauge("video_bits_per_second", "What the video that is forwarded takes.") {
      $0.bandwidth.allocated.bitsPerSecond
    }
    gauge("audio_bits_per_second", "What sound takes.") { $0.bandwidth.audio.bitsPerSecond }
    gauge("retransmitted_bits_per_second", "What retransmissions take.") { $0.bandwidth.retransmitted.bitsPerSecond }
    gauge("queued_bytes", "Bytes that wait to be sent.") { $0.bandwidth.queued }
    counter("packets_paced", "Video packets that waited because the path would not have taken them at once.") {
      $0.routing.packetsPaced
    }
    counter("paced_drops", "Packets that waited too long or found no room to wait.") { $0.routing.pacedDrops }
    counter("probe_packets", "Packets sent to learn what a path takes.") { $0.routing.paddings }
  }

  private mutating func addRelays() {
    counter("relayed_packets", "Media packets written for other workers.") { $0.relays.packets }
    counter("relayed_bytes", "Bytes written for other workers.") { $0.relays.bytes }
    counter("relay_delayed", "Media packets that waited because the ring to another worker was full.") {
      $0.relays.packetsDelayed
    }
    counter("relay_drops", "Those that were given up, since the ring had no room for too long.") {
      $0.relays.packetsDropped
    }
    counter("relay_messages", "Announcements, demands and reports written for other workers.") { $0.relays.messages }
    counter("relay_message_drops", "Those that were dropped because too many waited.") { $0.relays.messagesDropped }
  }

  private mutating func addData() {
    counter("data_messages_received", "Data messages received.") { $0.data.messagesReceived }
    counter("data_bytes_received", "Bytes of them.") { $0.data.bytesReceived }
    counter("data_messages_sent", "Data messages sent, one for each receiver.") { $0.data.messagesSent }
    counter("data_bytes_sent", "Bytes of them.") { $0.data.bytesSent }
    counter("data_channels_closed", "Reliable data channels closed because of a slow reader.") {
      $0.data.channelsClosed
    }
    reasons("data_dropped", "Data messages dropped, by reason.", DataDrop.allCases) { $0.data[$1] }
  }

  // MARK: Format

  private mutating func begin(_ name: String, _ type: String, _ help: String) {
    text += "# HELP parley_media_\(name) \(help)\n# TYPE parley_media_\(name) \(type)\n"
  }

  private mutating func series(
    _ name: String, _ type: String, _ help: String, _ value: (MediaWorkerStatistics) -> some Numeric
  ) {
    begin(name, type, help)
    for (index, worker) in workers.enumerated() {
      text += "parley_media_\(name){worker=\"\(index)\"} \(value(worker))\n"
    }
  }

  private mutating func gauge(_ name: String, _ help: String, _ value: (MediaWorkerStatistics) -> some Numeric) {
    series(name, "gauge", help, value)
  }

  private mutating func counter(_ name: String, _ help: String, _ value: (MediaWorkerStatistics) -> UInt64) {
    series(name + "_total", "counter", help, value)
  }

  private mutating func reasons<Reason>(
    _ name: String, _ help: String, _ all: [Reason], _ value: (MediaWorkerStatistics, Reason) -> UInt64
  ) {
    begin(name + "_total", "counter", help)
    for (index, worker) in workers.enumerated() {
      for reason in all {
        text += "parley_media_\(name)_total{worker=\"\(index)\",reason=\"\(reason)\"} \(value(worker, reason))\n"
      }
    }
  }
}
