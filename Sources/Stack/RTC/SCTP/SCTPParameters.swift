/// The types of INIT's and RE-CONFIG's parameters (RFC 9260 section 3.3.2, RFC 3758 section 3.1, RFC 6525 section 4).
enum SCTPParameter {
  static let heartbeatInfo: UInt16 = 1
  static let ipv4Address: UInt16 = 5
  static let ipv6Address: UInt16 = 6
  static let stateCookie: UInt16 = 7
  static let unrecognized: UInt16 = 8
  static let cookiePreservative: UInt16 = 9
  static let hostName: UInt16 = 11
  static let supportedAddressTypes: UInt16 = 12
  static let outgoingReset: UInt16 = 13
  static let incomingReset: UInt16 = 14
  static let tsnReset: UInt16 = 15
  static let reconfigurationResponse: UInt16 = 16
  static let addOutgoingStreams: UInt16 = 17
  static let addIncomingStreams: UInt16 = 18
  static let supportedExtensions: UInt16 = 0x8008
  static let forwardTSNSupported: UInt16 = 0xC000

  /// More than any honest chunk has.
  static let maximumCount = 64
}

/// The parameters of INIT and INIT ACK (RFC 9260 sections 3.3.2 and 3.3.3).
struct SCTPInitiation: Equatable {
  var tag: UInt32
  var window: UInt32
  var outboundStreams: UInt16
  var inboundStreams: UInt16
  var initialTSN: UInt32
  var supportsForwardTSN = false
  var supportsReset = false
  /// The place of the state cookie in the packet.
  var cookie: Range<Int>?
  /// Parameters to be reported as not recognized, each whole and padded; at most 256 bytes of them.
  var unrecognized: [UInt8] = []

  /// A fault of the chunk.
  enum Problem: Error {
    case malformed
    case tooManyParameters
    /// A tag, a stream count or a window that the RFC forbids.
    case invalidValue
    /// The peer wants to be resolved by a host name, which RFC 9260 section 3.3.2.1.4 has refused.
    case hostName
  }

  /// Reads the value of an INIT or INIT ACK. At most ``SCTPParameter/maximumCount`` parameters are looked at.
  init(parsing packet: Span<UInt8>, _ value: Range<Int>) throws(Problem) {
    guard value.count >= 16 else { throw .malformed }
    let start = value.lowerBound
    tag = packet.networkUInt32(at: start)
    window = packet.networkUInt32(at: start &+ 4)
    outboundStreams = packet.networkUInt16(at: start &+ 8)
    inboundStreams = packet.networkUInt16(at: start &+ 10)
    initialTSN = packet.networkUInt32(at: start &+ 12)
    var walker = SCTPItemWalker(start &+ 16..<value.upperBound)
    var count = 0
    walk: while true {
      switch walker.next(in: packet) {
      case .end: break walk
      case .malformed: throw .malformed
      case .item(let offset, let item):
        count &+= 1
        guard count <= SCTPParameter.maximumCount else { throw .tooManyParameters }
        let type = packet.networkUInt16(at: offset)
        switch type {
        case SCTPParameter.stateCookie: cookie = cookie ?? item
        case SCTPParameter.forwardTSNSupported: supportsForwardTSN = true
        case SCTPParameter.supportedExtensions:
          for index in item {
            if packet[index] == SCTPChunkType.forwardTSN.rawValue { supportsForwardTSN = true }
            if packet[index] == SCTPChunkType.reconfiguration.rawValue { supportsReset = true }
          }
        case SCTPParameter.hostName: throw .hostName
        // Addresses mean nothing over DTLS (RFC 8261 section 6); the others are hints or reports.
        case SCTPParameter.ipv4Address, SCTPParameter.ipv6Address, SCTPParameter.cookiePreservative,
          SCTPParameter.supportedAddressTypes, SCTPParameter.unrecognized:
          break
        default:
          // RFC 9260 section 3.2.1: the upper two bits say whether to go on and whether to report.
          if type & 0x4000 != 0, unrecognized.count &+ item.count &+ 8 <= 256 {
            unrecognized.append(contentsOf: [UInt8](copying: packet, offset..<item.upperBound))
            while unrecognized.count & 3 != 0 { unrecognized.append(0) }
          }
          if type & 0x8000 == 0 { break walk }
        }
      }
    }
    guard tag != 0, outboundStreams != 0, inboundStreams != 0, window >= 1_500 else { throw .invalidValue }
  }
}
