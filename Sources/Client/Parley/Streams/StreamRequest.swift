/// The tracks, size and rate of a stream that one receiver wants.
package struct StreamRequest: Hashable, Sendable {
  /// In pixels.
  package struct Size: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
  }

  package var audio: Bool
  package var video: Bool
  /// How loud the audio is played, 0 to 1.
  package var volume: Double
  /// The size of the video; nil for the largest.
  package var size: Size?
  /// The frames a second; nil for all.
  package var framesPerSecond: Int?

  package init(audio: Bool, video: Bool, volume: Double, size: Size?, framesPerSecond: Int?) {
    (self.audio, self.video, self.volume) = (audio, video, volume)
    (self.size, self.framesPerSecond) = (size, framesPerSecond)
  }
}

extension RemoteParticipant {
  /// Asks the server for what the receivers of a stream want together. A track that
  /// nobody wants is neither heard nor sent.
  package func request(_ kind: StreamKind, for requests: [StreamRequest]) {
    let audio = publication(kind.audio)?.subscription
    audio?.listen(requests.contains(where: \.audio))
    audio?.audio?.volume = requests.filter(\.audio).map(\.volume).max() ?? 0
    if let subscription = publication(kind.video)?.subscription { request(subscription, requests.filter(\.video)) }
  }

  /// Asks for video as large as the largest request, and as often as the most frequent one; for none when nobody wants
  /// any.
  private func request(_ subscription: Subscription, _ requests: [StreamRequest]) {
    guard !requests.isEmpty else { return subscription.show(width: 0, height: 0) }
    let most = Int(UInt16.max)
    let sizes = requests.map { $0.size ?? StreamRequest.Size(width: most, height: most) }
    subscription.show(width: sizes.map(\.width).max() ?? most, height: sizes.map(\.height).max() ?? most)
    let rates = requests.map(\.framesPerSecond)
    subscription.maximumFramesPerSecond = rates.contains(nil) ? nil : rates.compactMap { $0 }.max()
  }

  /// Why a stream has no video for a receiver; nil when it has some.
  package func videoOff(_ kind: StreamKind, for request: StreamRequest) -> StreamReception.VideoOff? {
    let video = publication(kind.video)
    if !request.video { return .unwanted }
    if video?.isMuted == true { return .muted }
    if video?.undecodableCodec != nil { return .undecodable }
    return video?.subscription?.isPaused == true ? .paused : nil
  }

  /// Whether everything of a stream is received that a receiver wants. Video that cannot be decoded is not waited for.
  package func isComplete(_ kind: StreamKind, for request: StreamRequest) -> Bool {
    let (audio, video) = (publication(kind.audio), publication(kind.video))
    return (audio?.isMuted != false || audio?.subscription != nil || audio?.undecodableCodec != nil)
      && (video?.isMuted != false || !request.video || video?.subscription != nil || video?.undecodableCodec != nil)
  }
}
