public import Basics

/// A session description (RFC 8866) in the subset that WebRTC exchanges (RFC 9429), as a value.
///
/// ``init(parsing:)`` reads one under the hard limits of ``SDPLimit``; ``text`` writes one with CR LF line ends.
/// Attributes of the session level that apply to media (ICE, fingerprint, setup, direction) are copied into each
/// m-section that has none of its own, so that readers look in one place.
public struct SessionDescription: Hashable, Sendable {
  /// The `o=` line (RFC 8866 section 5.2).
  public struct Origin: Hashable, Sendable {
    /// The user name, `-` for none.
    public var username: String
    /// The session's id, a decimal number.
    public var sessionID: UInt64
    /// Goes up by one with each new description of the session.
    public var version: UInt64
    /// Network type, address type and address, as written.
    public var address: String

    /// An origin; the address says nothing, as RFC 9429 section 5.2.1 asks.
    public init(username: String = "-", sessionID: UInt64, version: UInt64, address: String = "IN IP4 127.0.0.1") {
      self.username = username
      self.sessionID = sessionID
      self.version = version
      self.address = address
    }
  }

  /// The author of the description, and its version.
  public var origin: Origin
  /// The mids of the first BUNDLE group, in order; empty without one.
  public var bundle: [MID]
  /// `a=ice-lite`: the writer sends no checks of its own.
  public var isIceLite: Bool
  /// `a=extmap-allow-mixed` at the session level.
  public var allowsMixedExtensions: Bool
  /// `a=msid-semantic: WMS …` is written.
  public var hasStreamSemantics: Bool
  /// The m-sections in order.
  public var media: [MediaDescription]
  /// The malformed attributes that count as absent, each as the error it would have been. Written descriptions have
  /// none.
  public internal(set) var ignored: [SDPError] = []

  public init(
    origin: Origin, bundle: [MID] = [], isIceLite: Bool = false, allowsMixedExtensions: Bool = false,
    hasStreamSemantics: Bool = true, media: [MediaDescription] = []
  ) {
    self.origin = origin
    self.bundle = bundle
    self.isIceLite = isIceLite
    self.allowsMixedExtensions = allowsMixedExtensions
    self.hasStreamSemantics = hasStreamSemantics
    self.media = media
  }

  /// The mids of the m-sections on the one transport. A single live section needs no BUNDLE group: webrtcbin, for one,
  /// writes none by default.
  var transportGroup: [MID] {
    if !bundle.isEmpty { return bundle }
    let live = media.filter { !$0.isStopped }
    return live.count == 1 ? live.compactMap(\.mid) : []
  }

  /// Reads a description with CR LF or LF line ends. Cost: linear in the text's length.
  /// - Throws: ``SDPError/limit(_:)``, ``SDPError/malformed(line:expected:)`` or ``SDPError/duplicateMID(_:)``.
  public init(parsing text: String) throws(SDPError) {
    var parser = SessionDescriptionParser()
    self = try parser.parse(text)
  }
}
