#pragma once

#include <selvage/kernel/verify_access.h>

#include <optional>
#include <span>

namespace selvage {

// The shared memory of a cluster (Launch::is_cluster): of each buffer every rank has a piece of `p`
// elements, those from rank * p on.

// The number of an element in the piece of the rank that accesses it, where the address is written
// as rank * p and a rest: the rest. Nothing if it is not. `ranks`: variables that are the rank.
std::optional<Expr> in_own_piece(Expr address, std::int64_t p, std::span<const Expr> ranks);

// The address of an access of a kernel in the form that the facts there give it. That a piece is
// the own one stays visible, whatever these tell of the rank.
Expr address_in_pieces(const AccessMap& map, std::size_t access);
// The number in the own piece, of an access of a verified kernel. Where a block is no cluster, its
// address.
std::optional<Expr> in_own_piece(const AccessMap& map, std::size_t access);
// Whether each rank of a cluster has a piece of the buffer.
bool has_pieces(const Kernel& kernel, BufferId b);
// The same, where nobody accesses the piece of another rank.
bool has_own_pieces(const AccessMap& map, BufferId b);

// Whether it is an access of a copy that one rank makes for all (AsyncCopy::by_rank). As an access
// of a kernel it is in the own piece: what comes there.
bool is_multicast(const AccessMap& map, std::size_t access);
bool has_multicast(const Body& body);
// Whether it arrives at an object, and neither announces bytes nor tells of copies: what may be
// done at an object of another rank.
bool is_mere_arrival(const Arrive& arrive);

}  // namespace selvage
