/// Memory that one allocation after the other uses.
struct AllocationMemory {
  var requests: ContiguousArray<BitrateAllocation.Request> = []
  var options: ContiguousArray<LayerOption> = []
  /// The slot of each request, by the start of its options.
  var slots: ContiguousArray<(options: Int, slot: Int)> = []
}
