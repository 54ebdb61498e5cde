package import FoundationEssentials

/// The present tracks of a stream.
package struct StreamState: Sendable {
  /// Whether it has a track.
  package var isPublished = false
  package var hasAudio = false
  package var hasVideo = false
  package var name: String?
  /// When the server took its first track; nil from servers that do not say.
  package var created: Date?

  /// A stream that isn't published.
  package init() {}
}

extension Meeting {
  /// The stream of a participant, this client included.
  package func stream(_ kind: StreamKind, of participant: String) -> StreamState {
    var state = StreamState()
    if participant == local.id {
      let (audio, video) = (local.publication(kind.audio), local.publication(kind.video))
      state.isPublished = audio != nil || video != nil
      (state.hasAudio, state.hasVideo) = (audio?.isMuted == false, video?.isMuted == false)
      state.name = video?.name ?? audio?.name ?? local.name
      state.created = [audio?.created, video?.created].compactMap(\.self).min()
    } else if let remote = roster[participant] {
      let (audio, video) = (remote.publication(kind.audio), remote.publication(kind.video))
      state.isPublished = audio != nil || video != nil
      (state.hasAudio, state.hasVideo) = (audio?.isMuted == false, video?.isMuted == false)
      state.name = video?.name ?? audio?.name ?? remote.name
      state.created = [audio?.created, video?.created].compactMap(\.self).min()
    }
    return state
  }
}
