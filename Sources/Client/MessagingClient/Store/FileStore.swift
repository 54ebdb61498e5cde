import Crypto
import Dispatch
import Glibc

/// A local store in a folder: a file a name, each record sealed under a key that is in the folder, too.
///
/// The key keeps the records from copies of single files and from backups that leave it out, not from somebody who
/// reads the whole folder: that is the system's part (file modes, an encrypted disk).
package final class FileStore: LocalStore {
  /// Why the store cannot be used.
  package enum Failure: Error, Sendable, Hashable {
    case system(call: String, code: Int32)
    /// The key file is there and is not one.
    case badKey
    case sealing
  }

  private let folder: String
  private let seal: RecordSeal
  // The disk may be slow: its calls are kept off the cooperative pool, and in order.
  private let queue = DispatchQueue(label: "parley.messaging.store")

  /// Opens a store, and makes it where there is none.
  package init(folder: String) throws(Failure) {
    self.folder = folder
    let made = unsafe mkdir(folder, 0o700)
    guard made == 0 || errno == EEXIST else { throw .system(call: "mkdir", code: errno) }
    let path = folder + "/device.key"
    do throws(CryptoError) {
      if var key = try? StoredFile.read(path) {
        guard key.count == RecordSeal.keyLength else { throw CryptoError.invalidKey }
        seal = try RecordSeal(key: SecretBytes(wiping: &key))
      } else {
        let key = try SecretBytes.random(RecordSeal.keyLength)
        seal = try RecordSeal(key: key)
        do throws(Failure) {
          try StoredFile.replace(path, with: key.unprotectedCopy())
          try StoredFile.synchronise(folder: folder)
        } catch {
          throw CryptoError.failed
        }
      }
    } catch {
      throw error == .invalidKey ? .badKey : .sealing
    }
  }

  package func records(of name: String) async throws -> [[UInt8]] {
    let path = path(of: name)
    return try await run { [seal] () throws(Failure) in
      guard let bytes = try StoredFile.read(path) else { return [] }
      var records: [[UInt8]] = []
      var rest = bytes[...]
      while rest.count >= 4 {
        let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= rest.count - 4 else { break }
        if let record = try? seal.open(Array(rest.dropFirst(4).prefix(count)), name: name) { records.append(record) }
        rest = rest.dropFirst(4 + count)
      }
      // A record that a crash has cut goes: the next one would be behind it.
      if !rest.isEmpty { try StoredFile.replace(path, with: Array(bytes.dropLast(rest.count))) }
      return records
    }
  }

  package func names(prefix: String) async throws -> [String] {
    let folder = folder
    return try await run { () throws(Failure) in
      try StoredFile.names(in: folder).filter { $0.hasPrefix(prefix) && !$0.hasSuffix(".new") }.sorted()
    }
  }

  package func apply(_ changes: [StoreChange]) async throws {
    let folder = folder
    try await run { [seal] () throws(Failure) in
      func sealed(_ record: [UInt8], _ name: String) throws(Failure) -> [UInt8] {
        guard let bytes = try? seal.seal(record, name: name) else { throw .sealing }
        return (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (24 - 8 * $0)) } + bytes
      }
      var logs: [String: (isNew: Bool, bytes: [UInt8])] = [:]
      var puts: [(name: String, record: [UInt8])] = []
      var removed: [String] = []
      for change in changes {
        switch change {
        case .put(let name, let record):
          puts.removeAll { $0.name == name }
          puts.append((name, record))
        case .append(let name, let record):
          logs[name, default: (false, [])].bytes += try sealed(record, name)
        case .replace(let name, let records):
          var bytes: [UInt8] = []
          for record in records { bytes += try sealed(record, name) }
          logs[name] = (true, bytes)
        case .remove(let name):
          logs[name] = nil
          puts.removeAll { $0.name == name }
          removed.append(name)
        }
      }
      for name in removed { unsafe unlink(folder + "/" + name) }
      // First what others build on: a number of an event that is stored stands for the messages before it.
      for (name, log) in logs {
        if log.isNew {
          try StoredFile.replace(folder + "/" + name, with: log.bytes)
        } else {
          try StoredFile.append(log.bytes, to: folder + "/" + name)
        }
      }
      for (name, record) in puts { try StoredFile.replace(folder + "/" + name, with: sealed(record, name)) }
      try StoredFile.synchronise(folder: folder)
    }
  }

  package func removeAll() async throws {
    let folder = folder
    try await run { () throws(Failure) in
      for name in try StoredFile.names(in: folder) where name != "device.key" { unsafe unlink(folder + "/" + name) }
      try StoredFile.synchronise(folder: folder)
    }
  }

  private func path(of name: String) -> String { folder + "/" + name }

  private func run<Value: Sendable>(_ body: @escaping @Sendable () throws(Failure) -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
