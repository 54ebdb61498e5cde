/// Where a router's output goes: the worker's sockets, or a test's network.
public protocol PacketSink: AnyObject {
  /// Sends the packets of `batch` to the peer behind `outlet`, now. The batch is reused when this returns. The router is in the midst of its work:
  /// nothing may be asked of it meanwhile, and of the outlet only whose it is.
  func send(_ batch: OutputBatch, to outlet: Outlet)
}
