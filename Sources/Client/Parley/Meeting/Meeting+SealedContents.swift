import Crypto
import Encryption
import Signaling
import Transport

/// Files and polls of encrypted meetings. The server stores ciphertext without a name.
extension Meeting {
  /// The server's answer to an upload: the file waits for its message.
  private struct HeldFile: Decodable {
    var file: ChatFile
  }

  private struct FileMessage: Encodable {
    var text: String
  }

  // MARK: Files

  func send(
    sealed bytes: [UInt8], name: String, to recipient: RemoteParticipant?, _ secret: MeetingSecret
  ) async throws(JoinError) -> ChatMessage {
    guard !bytes.isEmpty else { throw .refused(code: "emptyFile", message: "The file is empty.") }
    guard bytes.count <= chatFileLimit else {
      throw .refused(
        code: "fileTooLarge",
        message: chatFileLimit == 0
          ? "This meeting takes no files." : "A file has at most \(chatFileLimit) bytes, this one has \(bytes.count).")
    }
    let key: FileKey
    let content: [UInt8]
    do throws(CryptoError) {
      key = try FileKey()
      content = try await Self.seal(bytes, key)
    } catch { throw Self.notEncrypted("file") }
    var headers: HTTPHeaders = ["Content-Type": ChatFile.unknownType]
    if let recipient { headers["Parley-File-To"] = recipient.id }
    let answer = try await upload(content, headers)
    guard let held = try? SignalingDecoder().decode(HeldFile.self, from: answer) else {
      throw .notParley("The server took the file and answered with something else than its id.")
    }
    let file = ChatFile(
      id: held.file.id, name: FileName.clean(name), type: ChatFile.type(beginningWith: bytes), size: bytes.count)
    // Sealed after the upload: a key may have ended since it began.
    let text = try onTheWire(SealedFile(file, key: key))
    guard let body = try? SignalingEncoder().encode(FileMessage(text: text)) else { throw Self.notEncrypted("file") }
    let message = try await chatRequest(
      "POST", "/files/\(file.id)", ["Content-Type": "application/json"], Array(body.utf8), limit: 1 << 20,
      timeout: .seconds(60))
    guard let entry = try? SignalingDecoder().decode([String: ChatEntry].self, from: message)["message"],
      let sent = opened(entry, isHistory: false, mayWait: false)
    else { throw .notParley("The server took the file and answered with something else than a message.") }
    return sent
  }

  func download(sealed file: ChatFile, _ secret: MeetingSecret) async throws(JoinError) -> [UInt8] {
    guard let sealed = secret.files[file.id] else {
      throw .refused(code: "encrypted", message: "This device does not have the key of the file.")
    }
    // The size is its sender's word.
    let limit = min(chatFileLimit, Self.longestDownload)
    guard sealed.file.size <= limit else {
      throw .refused(
        code: "fileTooLarge",
        message: "The file is said to have \(sealed.file.size) bytes, and at most \(limit) are fetched here.")
    }
    let length = FileSealing.sealedLength(of: sealed.file.size)
    let opening: OpeningFile
    do throws(FileSealing.Problem) { opening = try OpeningFile(sealed) } catch { throw Self.damagedFile }
    do throws(JoinError) {
      _ = try await chatRequest(
        "GET", "/files/\(file.id)", limit: max(length, 1 << 16), timeout: .seconds(60 + Int64(length >> 14)),
        receive: { opening.take($0) })
    } catch { throw opening.isDamaged ? Self.damagedFile : error }
    do throws(FileSealing.Problem) { return try opening.finish() } catch { throw Self.damagedFile }
  }

  /// The most bytes of a file that are held in memory, whatever the meeting takes.
  private static let longestDownload = 2 << 30

  private static var damagedFile: JoinError {
    .refused(
      code: "damagedFile",
      message: "The file was damaged or changed on its way, so nothing of it is shown. Ask for it again.")
  }

  /// Off the main actor: a large file takes tens of milliseconds.
  private nonisolated static func seal(_ bytes: [UInt8], _ key: FileKey) async throws(CryptoError) -> [UInt8] {
    try FileSealer.seal(bytes, key: key)
  }

  private static func notEncrypted(_ what: String) -> JoinError {
    .refused(code: "internal", message: "The \(what) could not be encrypted.")
  }

  // MARK: Polls

  /// A draft as it goes out.
  func onTheWire(_ draft: PollDraft) throws(JoinError) -> PollDraft {
    guard let secret else { return draft }
    guard let name = info?.name else { throw .unreachable("The server cannot be reached just now.") }
    let (most, longest) = (PollDraft.questionCharacters, PollDraft.optionCharacters)
    // The server can't judge ciphertext, so this client holds to its limits.
    guard Self.isText(draft.question, most) else {
      throw .refused(code: "badMessage", message: "A question has 1 to \(most) characters.")
    }
    guard PollDraft.optionCount.contains(draft.options.count), Set(draft.options).count == draft.options.count,
      draft.options.allSatisfy({ Self.isText($0, longest) })
    else {
      throw .refused(
        code: "badMessage",
        message:
          "A poll has \(PollDraft.optionCount.lowerBound) to \(PollDraft.optionCount.upperBound) different answers of 1 to \(longest) characters."
      )
    }
    do throws(CryptoError) { return try secret.polls.seal(draft, secret.secret, meeting: name) } catch {
      throw Self.notEncrypted("poll")
    }
  }

  private static func isText(_ text: String, _ most: Int) -> Bool {
    text.contains { !$0.isWhitespace } && text.count <= most && text.utf8.count <= 4 * most
  }

  /// A poll as people see it.
  func opened(_ poll: Poll) -> Poll {
    guard let secret else { return poll }
    return secret.polls.open(poll, secret.secret, meeting: info?.name ?? "")
  }
}
