import Signaling

/// The JSON of a token, before anything of it is believed.
enum TokenText {
  private struct Anything: Decodable { init(from decoder: any Decoder) throws {} }

  /// What keeps two readers from understanding a header or claims alike, as the end of a sentence; nil when nothing does. A name that is there twice is refused
  /// (RFC 7515 section 4, RFC 7519 section 4), as in everything else that is sent to the server.
  static func problem(in json: [UInt8]) -> String? {
    do throws(SignalingError) {
      _ = try SignalingDecoder().decode(Anything.self, from: json)
      return nil
    } catch {
      return switch error {
      case .duplicateKey(let name): "\(name) is there twice"
      case .tooDeep: "it is nested too deep"
      case .tooLarge, .notJSON, .badMessage, .unknownType: "it is not JSON that can be read"
      }
    }
  }
}
