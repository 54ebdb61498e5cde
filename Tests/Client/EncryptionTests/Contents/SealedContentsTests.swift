import Crypto
import TestVectors
import Testing

@testable import Encryption

/// Files and polls of encrypted meetings; the tests of the JavaScript client use the same vectors.
@Suite("Sealed files and polls")
struct SealedContentsTests {
  struct Vectors: Decodable {
    struct File: Decodable {
      let size: Int
      let sha256: Hex
    }
    struct Poll: Decodable {
      let secret: String
      let meeting: String
      let question: String
      let options: [String]
      let rules: String
      let sealed: String
    }

    let key: Hex
    let firstFile: Hex
    let files: [File]
    let poll: Poll
  }

  private func content(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) } }

  @Test("files and polls have the form that another program calculated")
  func agreement() throws {
    let all = try vectors(Vectors.self, "contents.json")
    let key = try #require(FileKey(text: Base64URL.encode(all.key.bytes)))
    #expect(try FileSealer.seal(content(5), key: key) == all.firstFile.bytes)
    for file in all.files {
      let sealed = try FileSealer.seal(content(file.size), key: key)
      #expect(sealed.count == FileSealing.sealedLength(of: file.size))
      #expect(try Digest.sha256(sealed) == file.sha256.bytes)
      #expect(try FileOpener.open(sealed, key: key, size: file.size) == content(file.size))
    }
    let secret = try #require(LinkSecret(text: all.poll.secret))
    let polls = try PollSealing(secret: secret, meeting: all.poll.meeting)
    let words = PollSealing.Words(question: all.poll.question, options: all.poll.options)
    #expect(polls.open(all.poll.sealed, rules: all.poll.rules) == words)
    #expect(try polls.open(polls.seal(words, rules: "single always"), rules: "single always") == words)
  }

  @Test("threat 61: a file that was cut, reordered, mixed or changed does not open")
  func damage() throws {
    let key = try FileKey()
    let plain = content(3 * FileSealing.chunkLength + 1_000)
    let sealed = try FileSealer.seal(plain, key: key)
    let chunk = FileSealing.sealedChunkLength
    var opener = try FileOpener(key, size: plain.count)
    var opened: [UInt8] = []
    for start in stride(from: 0, to: sealed.count, by: 9_973) {
      opened += try opener.open(Array(sealed[start..<min(start + 9_973, sealed.count)]))
    }
    try opener.finish()
    #expect(opened == plain)

    let chunks = (0..<4).map { Array(sealed[($0 * chunk)..<min(($0 + 1) * chunk, sealed.count)]) }
    let other = try FileSealer.seal(plain, key: FileKey())
    let shorter = try FileSealer.seal(Array(plain.dropLast()), key: key)
    var flipped = sealed
    flipped[chunk + 5] ^= 1
    let damaged: [[UInt8]] = [
      [], Array(sealed.dropLast()), Array((chunks[0] + chunks[1] + chunks[2])), sealed + [0], sealed + chunks[3],
      chunks[1] + chunks[0] + chunks[2] + chunks[3], chunks[0] + chunks[0] + chunks[2] + chunks[3],
      chunks[0] + chunks[1] + chunks[3], Array(other.prefix(chunk)) + sealed.dropFirst(chunk), shorter, flipped, other,
    ]
    for bytes in damaged {
      #expect(throws: FileSealing.Problem.damaged) { try FileOpener.open(bytes, key: key, size: plain.count) }
    }
    // Another size than the sealed message says, also that of whole chunks.
    for size in [plain.count - 1, plain.count + 1, 3 * FileSealing.chunkLength, 1, 0] {
      #expect(throws: FileSealing.Problem.damaged) { try FileOpener.open(sealed, key: key, size: size) }
    }
    // Chunks before the damage are authentic, and are given out.
    var early = try FileOpener(key, size: plain.count)
    #expect(try early.open(chunks[0]) == Array(plain.prefix(FileSealing.chunkLength)))
    #expect(throws: FileSealing.Problem.damaged) { try early.finish() }
    #expect("\(key)" == "<redacted>" && FileKey(text: "AAAA") == nil)
  }

  @Test("threat 62: a poll opens with its meeting's secret and rules, and with no other")
  func polls() throws {
    let secret = try LinkSecret()
    let polls = try PollSealing(secret: secret, meeting: "daily")
    let words = PollSealing.Words(question: "Lunch?", options: ["Yes", "No"])
    let sealed = try polls.seal(words, rules: "single always")
    #expect(try polls.seal(words, rules: "single always") != sealed)
    #expect(polls.open(sealed, rules: "multiple always") == nil)
    #expect(try PollSealing(secret: secret, meeting: "weekly").open(sealed, rules: "single always") == nil)
    #expect(try PollSealing(secret: LinkSecret(), meeting: "daily").open(sealed, rules: "single always") == nil)
    for text in ["", "Lunch?", String(sealed.dropLast()), "B" + sealed.dropFirst(), String(repeating: "A", count: 60)] {
      #expect(polls.open(text, rules: "single always") == nil)
    }
    let longest = PollSealing.Words(
      question: String(repeating: "😀", count: 300),
      options: (0..<10).map { String(repeating: "😀", count: 119) + "\($0)" })
    #expect(try polls.open(polls.seal(longest, rules: ""), rules: "") == longest)
    #expect(throws: CryptoError.self) {
      try polls.seal(.init(question: String(repeating: "a", count: 1_201), options: []), rules: "")
    }
  }
}
