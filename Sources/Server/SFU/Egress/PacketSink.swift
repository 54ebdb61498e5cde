/// The destination of a router's output: the worker's sockets, or a test's network.
public protocol PacketSink: AnyObject {
  /// Sends the packets of `batch` to the peer behind `egress` now. The batch is reused when this returns. The router is
  /// in the middle of its work: the sink may ask nothing of it, and of the egress only whose it is.
  func send(_ batch: OutputBatch, to egress: Egress)
}
