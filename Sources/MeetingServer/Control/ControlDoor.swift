import Basics
import Glibc
import Meetings
import Transport

/// The door for commands of this machine: `parley meeting end` and the like ask the server that runs on their data folder to do what its
/// administration does, whether it has an admin port or not.
///
/// It listens on loopback, at a port that the system chooses. ``ControlFile`` tells commands port and secret; without that nothing is answered.
final class ControlDoor: Sendable {
  private let http: HTTPServer
  private let descriptor: Int32

  private init(http: HTTPServer, descriptor: Int32) {
    self.http = http
    self.descriptor = descriptor
  }

  /// Opens the door of a data folder. Nil, with a line in the log, where that is not possible: a server runs without it as well, but commands
  /// do not reach it.
  static func open(folder: String, log: Log, api: (AdminGate) -> AdminAPI) async -> ControlDoor? {
    guard let descriptor = ControlFile.lock(folder: folder) else {
      log.warning("control.taken", ["reason": "another server runs on the same data; commands reach that one"])
      return nil
    }
    let secret = RandomID.text(characters: 40)
    let api = api(AdminGate(token: Secret(secret), isLoopback: true, publicOrigin: nil, isForCommands: true))
    var settings = HTTPServer.Configuration()
    settings.connectionLimit = 16
    settings.bodyLimit = 64 << 10
    do throws(TransportError) {
      let http = try HTTPServer(settings, name: "control", handler: { await api.respond(to: $0) })
      do throws(TransportError) {
        let port = try http.listen(on: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0)).port
        if ControlFile(port: port, secret: secret).write(to: descriptor) {
          return ControlDoor(http: http, descriptor: descriptor)
        }
        log.error("control.failed", ["reason": "\(ControlFile.name) cannot be written"])
      } catch {
        log.error("control.failed", ["reason": error.description])
      }
      await http.shutdown(grace: .zero)
    } catch {
      log.error("control.failed", ["reason": error.description])
    }
    ControlFile.release(descriptor)
    return nil
  }

  /// Closes the door; commands find no server any more.
  func close() async {
    ControlFile.release(descriptor)
    await http.shutdown(grace: .zero)
  }
}
