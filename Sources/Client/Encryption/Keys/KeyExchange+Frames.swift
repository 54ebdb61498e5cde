public import Basics

extension KeyExchange {
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
  }
}
