public import Basics

extension KeyExchange {
  /// Appends the form in which a frame of one's own track leaves, as packetizers of its codec and the SFU take it.
  ///
  /// An empty frame, as encoders give for silence, makes no packet and is not to be sealed.
  ///
  /// - Throws: ``FrameDrop``; then the frame must not leave.
  public func seal(
    _ frame: Span<UInt8>, codec: FrameCodec, track: UInt8, now: Instant, appendingTo output: inout [UInt8]
  ) throws(FrameDrop) {
    try sealing.seal(frame, codec: codec, appendingTo: &output) {
      (content: Span<UInt8>, metadata: Span<UInt8>, sealed: inout [UInt8]) throws(FrameDrop) in
      try publisher.seal(content, track: track, metadata: metadata, now: now, appendingTo: &sealed)
    }
  }

  /// Appends the plain form of a frame that ``seal(_:codec:track:now:appendingTo:)`` of another client made. `sender`
  /// and `source` are the server's word on the slot of the frame.
  ///
  /// - Throws: ``FrameDrop``; then the frame must not be played.
  public func open(
    _ frame: Span<UInt8>, codec: FrameCodec, from sender: ParticipantID, source: FrameSource, now: Instant,
    appendingTo output: inout [UInt8]
  ) throws(FrameDrop) {
    try sealing.open(frame, codec: codec, appendingTo: &output) {
      (content: Span<UInt8>, metadata: Span<UInt8>, plain: inout [UInt8]) throws(FrameDrop) in
      try open(content, from: sender, source: source, metadata: metadata, now: now, appendingTo: &plain)
    }
  }

  /// Appends the encrypted form of a frame of one's own track to `output`.
  ///
  /// - Throws: ``FrameDrop``; then the frame must not leave.
  public func seal(
    _ frame: Span<UInt8>, track: UInt8, metadata: Span<UInt8>, now: Instant, appendingTo output: inout [UInt8]
  ) throws(FrameDrop) {
    try publisher.seal(frame, track: track, metadata: metadata, now: now, appendingTo: &output)
  }

  /// Appends the plain form of a frame to `output`. `sender` and `source` are what the server says of the slot that it
  /// came in.
  ///
  /// - Throws: ``FrameDrop``; then the frame must not be played.
  public func open(
    _ frame: Span<UInt8>, from sender: ParticipantID, source: FrameSource, metadata: Span<UInt8>, now: Instant,
    appendingTo output: inout [UInt8]
  ) throws(FrameDrop) {
    let header: SFrameHeader
    do throws(SFrameError) { header = try SFrameHeader(reading: frame) } catch { throw .refused(error) }
    guard let keyID = FrameKeyID(rawValue: header.keyID), roster.owner(of: keyID.sender) == sender,
      remotes[sender] != nil
    else { throw .wrongSender }
    let wasMissing = remotes[sender]?.missingSince != nil
    defer { if wasMissing != (remotes[sender]?.missingSince != nil) { noteWaiting() } }
    try remotes[sender]?.open(
      frame, keyID: keyID, source: source, metadata: metadata, now: now, appendingTo: &output)
    if remotes[sender]?.takeRatchet() == true { comparison.noteRatchet(from: sender, now: now) }
    comparison.noteFrame(from: sender)
  }
}
