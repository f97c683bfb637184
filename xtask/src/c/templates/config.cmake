# /lib may be a link to usr/lib, and above the link there is no include.
get_filename_component(_@NAME@_prefix "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_@NAME@_prefix "${_@NAME@_prefix}@UP@" ABSOLUTE)

if(NOT TARGET @NAME@::@NAME@)
  add_library(@NAME@::@NAME@ SHARED IMPORTED)
  set_target_properties(@NAME@::@NAME@ PROPERTIES
    IMPORTED_LOCATION "${_@NAME@_prefix}/@LIBDIR@/lib@NAME@.so.@VERSION@"
    IMPORTED_SONAME "@SONAME@"
    INTERFACE_INCLUDE_DIRECTORIES "${_@NAME@_prefix}/@INCLUDE@")
endif()

if(NOT TARGET @NAME@::@NAME@_static)
  add_library(@NAME@::@NAME@_static STATIC IMPORTED)
  set_target_properties(@NAME@::@NAME@_static PROPERTIES
    IMPORTED_LOCATION "${_@NAME@_prefix}/@LIBDIR@/lib@NAME@.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_@NAME@_prefix}/@INCLUDE@"
    INTERFACE_LINK_LIBRARIES "@NEEDS_LIST@")
endif()

unset(_@NAME@_prefix)
