// Streams and connections that tests of an app make.
import OpenTok

class ConnectionDouble: OTConnection {
  private let id: String
  init(id: String) {
    self.id = id
    super.init()
  }
  override var connectionId: String { id }
  override var data: String? { nil }
}

class StreamDouble: OTStream {
  private let id: String
  init(id: String) {
    self.id = id
    super.init()
  }
  override var streamId: String { id }
  override var connection: OTConnection { ConnectionDouble(id: "c" + id) }
  override var name: String? { "double" }
  override var hasVideo: Bool { true }
  override var videoType: OTStreamVideoType { .screen }
}
