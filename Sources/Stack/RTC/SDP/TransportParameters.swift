/// The part of a description that says how to reach and to trust one side of a bundled transport: ICE credentials and
/// candidates (RFC 8839), certificate fingerprints (RFC 8122) and the DTLS role (RFC 8842).
public struct TransportParameters: Hashable, Sendable {
  public var ice: IceCredentials
  public var fingerprints: [FingerprintAttribute]
  /// This side's part in the DTLS handshake, `a=setup`.
  public var setup: SetupRole
  /// Candidates; those that could not be understood are left out.
  public var candidates: [IceCandidate]
  /// How many candidates could not be understood.
  public var unreadableCandidates = 0
  /// How many there were beyond ``SDPLimit/candidates``.
  public var surplusCandidates = 0
  /// Whether no more candidates follow.
  public var hasEndOfCandidates: Bool
  /// Whether this side sends no checks (RFC 8445 section 2.5).
  public var isIceLite: Bool

  /// The parameters of one side.
  public init(
    ice: IceCredentials, fingerprints: [FingerprintAttribute], setup: SetupRole, candidates: [IceCandidate] = [],
    hasEndOfCandidates: Bool = true, isIceLite: Bool = false
  ) {
    self.ice = ice
    self.fingerprints = fingerprints
    self.setup = setup
    self.candidates = candidates
    self.hasEndOfCandidates = hasEndOfCandidates
    self.isIceLite = isIceLite
  }

  /// The SHA-256 digest of the certificate, 32 bytes; nil where there is none.
  public var sha256Fingerprint: [UInt8]? {
    fingerprints.first { $0.algorithm == "sha-256" && $0.digest.count == 32 }?.digest
  }

  /// Reads the transport from its tagged m-section, the first of ``SessionDescription/transportGroup`` that is live.
  init?(taggedIn description: SessionDescription) throws(SDPError) {
    let live = description.transportGroup.lazy.compactMap { mid in
      description.media.first { $0.mid == mid && !$0.isStopped }
    }
    guard let tagged = live.first else { return nil }
    guard let ufrag = tagged.iceUfrag, let password = tagged.icePassword,
      let ice = IceCredentials(ufrag: ufrag, password: password.value)
    else {
      throw .transport(expected: "a=ice-ufrag and a=ice-pwd in the first bundled m-section")
    }
    guard let setup = tagged.setup else {
      throw .transport(expected: "a=setup in the first bundled m-section")
    }
    self.init(
      ice: ice, fingerprints: tagged.fingerprints, setup: setup,
      candidates: tagged.candidates.compactMap { try? IceCandidate(parsing: $0) },
      hasEndOfCandidates: tagged.hasEndOfCandidates,
      isIceLite: description.isIceLite)
    unreadableCandidates = tagged.candidates.count - candidates.count
    surplusCandidates = tagged.surplusCandidates
    guard sha256Fingerprint != nil else {
      throw .transport(expected: "a=fingerprint with a sha-256 digest in the first bundled m-section")
    }
  }

  /// Writes the parameters into a live m-section. The tagged section, the first bundled one, is enough by RFC 9143, but
  /// some clients (aiortc) want credentials, fingerprint and role in every section; candidates go into the tagged one
  /// only.
  func write(to section: inout MediaDescription, isTagged: Bool) {
    section.iceUfrag = ice.ufrag
    section.icePassword = ice.password
    section.fingerprints = fingerprints
    section.setup = setup
    guard isTagged else { return }
    section.candidates = candidates.map { String($0.attributeValue.dropFirst("candidate:".count)) }
    section.hasEndOfCandidates = hasEndOfCandidates
  }
}
