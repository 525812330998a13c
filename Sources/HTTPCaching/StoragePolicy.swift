/// Where a response may be kept, provided that RFC 9111 allows storing it.
package enum StoragePolicy: String, Equatable, Sendable {
  /// On the disk, and in memory too.
  case allowed
  /// In memory, for as long as the process lives: nothing of the response reaches the disk.
  case memoryOnly = "memory-only"
  case notAllowed = "not-allowed"
}
