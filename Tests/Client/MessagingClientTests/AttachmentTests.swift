import Crypto
import Foundation
import Messaging
import Testing

@testable import MessagingClient

/// Files of messages, sealed and opened while they are transferred.
@Suite struct AttachmentTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("files-\(UUID().uuidString)")
  private let key: SecretBytes

  init() throws {
    key = try SecretBytes.random(AttachmentCipher.keyLength)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func content(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

  /// A file's sealed form, taken in pieces of a size; nil when it can't be read to its end.
  private func read(_ reader: SealedFileReader, pieces: Int) -> [UInt8]? {
    var all: [UInt8] = []
    while all.count < reader.sealedSize {
      guard let piece = reader.bytes(at: all.count, count: min(pieces, reader.sealedSize - all.count)) else {
        return nil
      }
      all += piece
    }
    return all
  }

  private func send(_ sealed: [UInt8], to writer: OpenedFileWriter, pieces: Int) -> Bool {
    stride(from: 0, to: sealed.count, by: pieces).allSatisfy {
      writer.receive(Array(sealed[$0..<min($0 + pieces, sealed.count)]))
    }
  }

  @Test("a file is sealed and opened in pieces of any size", arguments: [1_000, 16_384, 200_000])
  func pieces(of length: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let chunk = AttachmentCipher.chunkLength
    for size in [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 5] {
      let file = content(size)
      try Data(file).write(to: URL(fileURLWithPath: path("from")))
      let reader = try SealedFileReader(path("from"), key: key)
      let sealed = try #require(read(reader, pieces: length))
      #expect(sealed.count == AttachmentCipher.sealedSize(of: size))
      #expect(try AttachmentCipher.open(sealed, key: key) == file)
      let writer = try OpenedFileWriter(path("to"), size: size, key: key)
      #expect(send(sealed, to: writer, pieces: length))
      #expect((writer.progress() ?? 0) <= size && writer.progress() == nil)
      try writer.finish()
      #expect(try Data(contentsOf: URL(fileURLWithPath: path("to"))) == Data(file))
    }
  }

  @Test("nothing is sealed twice, and a file that has become shorter is not sent")
  func reading() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(content(200_000)).write(to: URL(fileURLWithPath: path("from")))
    let reader = try SealedFileReader(path("from"), key: key)
    #expect(reader.bytes(at: 0, count: 1_000)?.count == 1_000)
    #expect(reader.bytes(at: 0, count: 1_000) == nil && reader.bytes(at: 2_000, count: 1_000) == nil)
    try #require(FileHandle(forWritingAtPath: path("from"))).truncate(atOffset: 100_000)
    #expect(reader.bytes(at: 1_000, count: 64_000) != nil && reader.bytes(at: 65_000, count: 64_000) == nil)
    // The rest isn't taken for the next chunk.
    #expect(reader.bytes(at: 65_000, count: 64_000) == nil)
    #expect(throws: FileStore.Failure.self) { try SealedFileReader(folder.path, key: key) }
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    for name in ["pipe", "missing"] {
      #expect(throws: FileStore.Failure.self) { try SealedFileReader(path(name), key: key) }
    }
  }

  @Test("a second download of a file while one is running reports no failure")
  func downloadedTwice() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let options = Messenger.Options(server: "http://localhost", domain: DomainID("domain"))
    let messenger = Messenger(options, store: MemoryStore())
    let file = AttachedFile(
      name: "a.jpg", contentType: "image/jpeg", size: 3, attachment: AttachmentID("a"),
      key: Base64URL.encode(key.bytes))
    let message = Message(
      chat: ChatID("chat"), cookie: "m1", number: MessageNumber(1), sender: RegID(9), isIncoming: true,
      time: MessageTime(milliseconds: 5_000), state: .sent, stateIsPartial: false, isUnverified: false, isSealed: false,
      isRecalled: false, content: MessageContent(tag: "Picture", file: file))
    await messenger.markRunning(path("to"))
    try await messenger.download(message, to: path("to"))
    await messenger.endEvents()
    var events: [MessengerEvent] = []
    for await event in messenger.events { events.append(event) }
    #expect(events.isEmpty)
    #expect(await messenger.downloads == [path("to")])
  }

  @Test("what a killed download has left is removed, and nothing else in its folder")
  func unfinished() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let chunk = AttachmentCipher.chunkLength
    let sealed = try AttachmentCipher.seal(content(2 * chunk), key: key)
    let writer = try OpenedFileWriter(path("chat-2.jpg"), size: 2 * chunk, key: key)
    #expect(writer.receive(Array(sealed.prefix(AttachmentCipher.sealedLength + 1))))
    try Data(content(3)).write(to: URL(fileURLWithPath: path("chat-1.new")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    // Its writer is as good as gone.
    withExtendedLifetime(writer) { OpenedFileWriter.removeUnfinished(in: folder.path) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["chat-1.new"])
  }

  @Test("a file that was tampered with, cut or is too long never gets to its path")
  func tampering() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = content(3 * AttachmentCipher.chunkLength)
    let sealed = try AttachmentCipher.seal(file, key: key)
    var changed = sealed
    changed[70_000] ^= 1
    let cut = Array(sealed.prefix(2 * AttachmentCipher.sealedLength))
    let lies = [
      (changed, file.count), (cut, file.count), (sealed, file.count - 1), (sealed + sealed, file.count),
    ]
    for (bytes, size) in lies {
      do {
        let writer = try OpenedFileWriter(path("to"), size: size, key: key)
        _ = send(bytes, to: writer, pieces: 4_096)
        #expect(throws: (any Error).self) { try writer.finish() }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
    let writer = try OpenedFileWriter(path("to"), size: file.count, key: key)
    #expect(!send(changed, to: writer, pieces: 4_096) && !writer.receive(sealed))
  }
}

extension Messenger {
  /// As if a download to that path had begun.
  fileprivate func markRunning(_ path: String) { downloads.insert(path) }

  fileprivate func endEvents() { eventContinuation.finish() }
}
