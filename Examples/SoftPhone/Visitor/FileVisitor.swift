import BBMEnterprise
import BBMSupport
import Foundation

/// Sends files over data connections, and takes those that others send.
final class FileVisitor: BBMMediaDelegate {
  static let usage = [
    #"{"command":"takeFiles","path":FOLDER}, {"command":"sendFile","user":NAME,"path":PATH}"#
  ]

  private let session: AppSession
  /// The file that an offered connection is for.
  private var outgoing: (connection: BBMDataConnection, path: String)?
  /// The folder for received files; nil while none are taken.
  private var folder: URL?

  init(_ session: AppSession) { self.session = session }

  private var manager: BBMMediaManager? { BBMEnterpriseService.shared().mediaManager() }

  /// Begins to follow the connections, once the user is signed in.
  func start() { manager?.add(self as BBMMediaDelegate) }

  /// Does a command; false when it isn't one about files.
  func perform(_ command: String, _ fields: JSONFields) -> Bool {
    let path = fields.text("path") ?? ""
    switch command {
    case "takeFiles": folder = URL(fileURLWithPath: path)
    case "sendFile": send(path, to: fields.text("user") ?? "")
    default: return false
    }
    return true
  }

  private func send(_ path: String, to user: String) {
    session.find(user) { [weak self] regId, problem in
      guard let self, let regId, let manager else { return self?.report("failed", ["problem": problem]) ?? () }
      manager.startDataConnection(regId, metaData: (path as NSString).lastPathComponent) { connection, error in
        guard let connection else { return self.report("failed", ["problem": "error \(error.rawValue)"]) }
        self.outgoing = (connection, path)
      }
    }
  }

  private func report(_ state: String, _ fields: [String: Any]) {
    Journal.report("fileTransfer", ["state": state].merging(fields) { $1 })
  }

  // MARK: connections

  func incomingDataConnectionOffered(_ connection: BBMDataConnection!) {
    manager?.dataConnectionSetupComplete(connection)
  }

  func incomingDataConnectionAvailable(_ connection: BBMDataConnection!) {
    if folder == nil { manager?.end(connection) } else { manager?.accept(connection) }
  }

  func dataConnectionAccepted(_ connection: BBMDataConnection!) {
    guard let connection else { return }
    if connection.incoming {
      connection.fileAvailableCallback = { [weak self] file, error in self?.received(file, error) }
    } else if let outgoing, outgoing.connection === connection {
      connection.sendFile(outgoing.path) { [weak self] _, isDone, error in
        guard isDone else { return }
        // The other side has it by now, or never gets it.
        self?.report(error == nil ? "sent" : "failed", ["path": outgoing.path])
        self?.manager?.end(connection)
      }
    }
  }

  func dataConnectionFailed(_ connection: BBMDataConnection!) {
    report("failed", ["problem": "the data connection was lost"])
  }

  func dataConnectionEnded(_ connection: BBMDataConnection!) {
    if outgoing?.connection === connection { outgoing = nil }
    report("ended", ["isIncoming": connection?.incoming ?? false])
  }

  private func received(_ file: BBMChannelData?, _ error: (any Error)?) {
    guard let file, let folder else { return }
    if let error { return report("failed", ["problem": "\(error)"]) }
    guard file.transferComplete, let path = file.filePath as String? else { return }
    let place = folder.appendingPathComponent((file.name as String?) ?? "file")
    do {
      // The SDK's file is a temporary one.
      try FileManager.default.moveItem(at: URL(fileURLWithPath: path), to: place)
      report("received", ["path": place.path])
    } catch {
      report("failed", ["problem": error.localizedDescription])
    }
  }
}
