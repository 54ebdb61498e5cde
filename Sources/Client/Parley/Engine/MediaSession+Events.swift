import Basics
import RTC

/// Events of the peer connection and of the sender, and what follows from them.
extension MediaSession {
  func takePeerEvents(_ now: Instant) {
    while let event = peer.pollEvent() {
      switch event {
      case .connected:
        due.insert(.sender)
        times.connected = now
        lastReceived = now
        events.yield(.connected(times))
      case .iceSelectedPathChanged(let path):
        due.insert(.sender)
        if path != nil, times.pathSelected == nil { times.pathSelected = now }
        if path != nil { counts.selectedCandidatePairChanges &+= 1 }
        events.yield(.pathChanged(path))
      case .iceConsentLost, .iceFailed:
        isInterrupted = true
        events.yield(.interrupted)
      case .iceConsentRestored: noteReceived(now)
      case .dtlsFailed(let failure): events.yield(.failed("The encryption could not be set up: \(failure)"))
      case .closed: events.yield(.failed("The server closed the media connection."))
      case .data(let event): take(event, now: now)
      case .iceServerFailed(let url, let error):
        events.yield(.serverFailed(url: url, error, isLast: isWithoutRelay))
      case .icePathValidated, .icePathForgotten, .iceUfragRetired, .iceLocalCandidate, .iceGatheringComplete: break
      }
    }
  }

  /// Whether media is to be relayed, and there is nothing to relay it.
  private var isWithoutRelay: Bool {
    peer.configuration.iceTransportPolicy == .relay && peer.isGatheringComplete && peer.localCandidates.isEmpty
  }

  func take(_ event: MediaSenderEvent) {
    switch event {
    case .keyframeRequested(let mid, let rid): publishers[mid]?.requestKeyframe(rid)
    case .allocationChanged(let allocation):
      for (mid, publisher) in publishers {
        let own = allocation.filter { $0.mid == mid }
        if !own.isEmpty { publisher.apply(own) }
      }
    case .targetChanged: break
    }
  }
}
