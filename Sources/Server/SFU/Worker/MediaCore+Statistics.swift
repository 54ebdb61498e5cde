import RTC

/// Counts of this worker, and the sums over its meetings, connections and sockets.
extension MediaCore {
  func count(_ drops: DropCounts) {
    for reason in DropReason.allCases where drops[reason] > 0 {
      statistics.connectionDrops[reason, default: 0] &+= drops[reason]
    }
  }

  func count(_ drop: DataDrop) { statistics.data.count(drop) }

  func countReceived(_ bytes: Int) {
    statistics.data.messagesReceived &+= 1
    statistics.data.bytesReceived &+= UInt64(bytes)
  }

  func countSent(_ bytes: Int) {
    statistics.data.messagesSent &+= 1
    statistics.data.bytesSent &+= UInt64(bytes)
  }

  func countClosedChannel() { statistics.data.channelsClosed &+= 1 }

  /// Everything that is counted, as of now.
  func currentStatistics() -> MediaWorkerStatistics {
    var current = statistics
    current.datagramsReceived = datagramsReceived
    for meeting in meetings { if let meeting { current.routing.add(meeting.router.counters) } }
    for connection in connections {
      guard let connection else { continue }
      current.bandwidth.add(connection.member.egress.bandwidthSnapshot)
      for reason in DropReason.allCases where connection.peer.drops[reason] > 0 {
        current.connectionDrops[reason, default: 0] &+= connection.peer.drops[reason]
      }
    }
    for socket in sockets {
      current.datagramsSent &+= socket.counters.packetsSent
      current.sendCalls &+= socket.counters.sendCalls
      current.sendDrops &+= socket.counters.packetsDropped
    }
    for link in links { current.relays.add(link.output.counters) }
    current.meetings = meetingsByID.count
    current.participants = connectionsByID.count
    current.utilization = gauge.utilization
    return current
  }
}
