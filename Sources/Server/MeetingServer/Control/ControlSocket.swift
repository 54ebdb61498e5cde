import Basics
import Glibc
import Meetings
import Synchronization
import Transport

/// The socket for commands of this machine, such as `parley meeting end`. The server on their data folder does for them
/// what its admin interface does, also without an admin port.
///
/// It is a Unix socket in the data folder (``ControlFolder``). Only users who could change the database itself can open
/// it.
final class ControlSocket: Sendable {
  /// The resources of the open socket.
  private struct Opened {
    var lock: Int32
    var http: HTTPServer?
  }

  private let folder: ControlFolder
  private let log: Log
  private let opened = Mutex<Opened?>(nil)
  private let waiting = Mutex<Task<Void, Never>?>(nil)
  private let handler: @Sendable (HTTPRequest) async -> HTTPResponse

  private init(folder: ControlFolder, log: Log, handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) {
    self.folder = folder
    self.log = log
    self.handler = handler
  }

  /// Opens the socket of a data folder. If that fails, the log says why: the server runs, but commands don't reach it.
  /// While another server has the socket, it tries again.
  ///
  /// - Parameters:
  ///   - pause: How long between two tries.
  ///   - handler: Answers the requests of commands.
  static func open(
    folder: String, log: Log, pause: Duration = .seconds(2),
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) async -> ControlSocket {
    let socket = ControlSocket(folder: ControlFolder(data: folder), log: log, handler: handler)
    // A command that looks whether there is a server holds the lock for a moment.
    for attempt in 0..<20 {
      if attempt > 0 { try? await Task.sleep(for: .milliseconds(5)) }
      if await socket.attempt() { return socket }
    }
    log.warning("control.taken", ["reason": "another server runs on the same data; commands reach that one"])
    socket.waiting.withLock {
      $0 = Task {
        while (try? await Task.sleep(for: pause)) != nil {
          if await socket.attempt() { return log.info("control.opened") }
        }
      }
    }
    return socket
  }

  /// Closes the socket; commands find no server any more.
  func close() async {
    let waiting = waiting.withLock { $0 }
    waiting?.cancel()
    await waiting?.value
    let last = opened.withLock { opened in
      defer { opened = nil }
      return opened
    }
    guard let last else { return }
    // Before the lock is free: the next server puts a socket of its own there.
    if last.http != nil { unlink(folder.socket) }
    await last.http?.shutdown(grace: .zero)
    folder.release(last.lock)
  }

  /// Opens it if nobody holds the lock; false when another try may do better.
  private func attempt() async -> Bool {
    let lock: Int32
    do throws(ControlFolder.Problem) {
      lock = try folder.lock()
    } catch .held {
      return false
    } catch {
      if case .refused(let reason) = error { log.error("control.failed", ["reason": reason]) }
      return true
    }
    // It is held also where the socket cannot be opened, since commands have to know that a server runs.
    let http = await listen()
    opened.withLock { $0 = Opened(lock: lock, http: http) }
    return true
  }

  private func listen() async -> HTTPServer? {
    // A killed server leaves its socket.
    unlink(folder.socket)
    var settings = HTTPServer.Configuration()
    settings.connectionLimit = 16
    settings.bodyLimit = 64 << 10
    do throws(TransportError) {
      let http = try HTTPServer(settings, name: "control", handler: handler)
      do throws(TransportError) {
        try http.listen(atPath: folder.socket)
        return http
      } catch {
        await http.shutdown(grace: .zero)
        throw error
      }
    } catch {
      log.error("control.failed", ["reason": error.description])
      return nil
    }
  }
}
