import Signaling

/// A host's order that everybody is muted, as it applies to later publications.
struct MuteAll: Sendable, Hashable, Codable {
  /// The sources that are muted.
  var sources: Set<TrackSource>
  /// Participants who are excepted.
  var except: Set<String>
  /// Single tracks that are excepted.
  var exceptTracks: Set<TrackReference> = []
  /// Whether people may unmute themselves.
  var mayUnmute: Bool

  /// Whether it applies to a participant's track.
  func holds(_ source: TrackSource, of participant: String) -> Bool {
    sources.contains(source) && !except.contains(participant)
      && !exceptTracks.contains(TrackReference(participant: participant, source: source))
  }

  /// The participants with a track that is excepted.
  var spared: Set<String> { except.union(exceptTracks.map(\.participant)) }

  /// Gives the exceptions of a former id of the same person to the new one.
  mutating func spare(_ participant: String, as old: String) {
    if except.contains(old) { except.insert(participant) }
    for track in exceptTracks where track.participant == old {
      exceptTracks.insert(TrackReference(participant: participant, source: track.source))
    }
  }

  mutating func forget(_ participant: String) {
    except.remove(participant)
    exceptTracks = exceptTracks.filter { $0.participant != participant }
  }

  /// As signalling shows it. Exceptions are left out: a participant learns of its own by being allowed to unmute.
  var info: MuteAllInfo {
    MuteAllInfo(sources: TrackSource.allCases.filter(sources.contains), mayUnmute: mayUnmute)
  }
}
