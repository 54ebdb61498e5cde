import CWebSockets

/// Reads the headers that libwebsockets has parsed; they are there during few events only.
@unsafe enum WireHeaders {
  /// Names that the library does not know by itself and that are read all the same.
  static let customNames = [
    "access-control-request-method:", "sec-fetch-site:", "sec-fetch-mode:", "x-forwarded-host:", "x-forwarded-proto:",
    "x-opentok-auth:", "x-tb-partner-auth:", "x-requested-with:", "x-ms-origin:", "link:", "x-request-id:",
    "parley-signature:", "parley-file-name:", "parley-file-to:", "parley-actor:",
  ]

  /// The bytes of one header, all its occurrences joined by commas; nil when it is absent.
  static func value(_ wsi: OpaquePointer, _ token: lws_token_indexes) -> [UInt8]? {
    let length = unsafe Int(parley_ws_header_length(wsi, Int32(token.rawValue)))
    guard length > 0 else { return nil }
    // Joined occurrences may be longer by their commas; the library writes at most the capacity, with a zero at the
    // end.
    let capacity = length + 64
    let bytes = unsafe [CChar](unsafeUninitializedCapacity: capacity) { buffer, count in
      let copied = unsafe parley_ws_header_copy(wsi, Int32(token.rawValue), buffer.baseAddress, Int32(capacity))
      count = max(Int(copied), 0)
    }
    return bytes.map { UInt8(bitPattern: $0) }
  }

  /// The parts of a value that the library has split (the query's fields, a path with `&` in it).
  static func fragments(_ wsi: OpaquePointer, _ token: lws_token_indexes) -> [[UInt8]] {
    let length = unsafe Int(parley_ws_header_length(wsi, Int32(token.rawValue)))
    guard length > 0 else { return [] }
    var out: [[UInt8]] = []
    while out.count < 256 {
      var copied: Int32 = -1
      // The library writes at most the capacity, with a zero at the end.
      let part = unsafe [CChar](unsafeUninitializedCapacity: length + 1) { buffer, count in
        copied = unsafe parley_ws_fragment_copy(
          wsi, Int32(token.rawValue), Int32(out.count), buffer.baseAddress, Int32(length + 1))
        count = max(Int(copied), 0)
      }
      if copied < 0 { break }
      out.append(part.map { UInt8(bitPattern: $0) })
    }
    return out
  }

  /// Every header there is, by lower-case name.
  static func all(_ wsi: OpaquePointer) -> HTTPHeaders {
    var headers = HTTPHeaders()
    var token: Int32 = 0
    while token < parley_ws_token_count() {
      defer { token += 1 }
      guard let raw = unsafe parley_ws_token_name(token) else { continue }
      let name = unsafe String(cString: raw)
      guard name.hasSuffix(":"), !name.hasPrefix(":"),
        let value = unsafe value(wsi, lws_token_indexes(rawValue: UInt32(token)))
      else { continue }
      headers.append(String(name.dropLast()), String(decoding: value, as: UTF8.self))
    }
    for name in unsafe customNames {
      // The library writes at most the capacity, with a zero at the end.
      let value = unsafe [CChar](unsafeUninitializedCapacity: 4_096) { buffer, count in
        let copied = unsafe name.withCString { n in
          unsafe parley_ws_custom_copy(wsi, n, Int32(name.utf8.count), buffer.baseAddress, 4_096)
        }
        count = max(Int(copied), 0)
      }
      if !value.isEmpty {
        headers.append(String(name.dropLast()), String(decoding: value.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
    }
    return headers
  }
}
